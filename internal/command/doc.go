// Package command runs the verbs of a command line: find, count, grep, table, minify, and those that are no questions.
//
// A Verb is data, and a function that runs it. Each of its flags is declared once, as a Flag: name, type, help, the
// values that shells complete, whether it may be empty, the section of the help it is in. From that come the parsing,
// the refusals, -h of one screen, --help, the manual page and the completion. Conflicts say which flags contradict each
// other. Adding a flag touches the verb's file and its page in docs.
//
//	Verb ── Command ──> cobra, which parses ──> Call ── Verb.Run ──> exit status
//
// The Call is what was typed: the flags, the other arguments, and the Console, with the standard streams and signals.
// A question about inputs has a Run: its inputs, its output, and what went wrong. Run.Do opens the output, has the
// Question asked, and ends: it puts the output in place if it is complete and otherwise says that it was not written,
// prints notes and the receipt, and returns the exit status. A verb adds its question and its printer, no more.
//
//	                    ┌ Ask ── answers ──> Output ──> standard output, or a file that appears
//	Call ── Run.Do ─────┤ End     the last lines
//	                    └ Note    what there is to know ──> standard error
//
// Where the inputs are read, the Run does not know. Local opens them in this process, and Scan asks each of them, alone
// or many at once. A question that is answered on other machines has its own Ask, and the same flags and printers.
//
// What goes wrong is an error. ExitError sets the exit status, Hint adds what to do; all others mean wrong usage.
package command
