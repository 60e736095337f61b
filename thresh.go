// Package thresh answers questions about files too big for ordinary tools, as fast as the hardware
// allows, and names the wall it hit.
//
// A question has three parts: an input, a query, and what to do with the answer.
//
//	in, err := thresh.Open("app.log.gz")            // or FromBytes, FromReader, FromReaderAt, OpenFS
//	query, err := thresh.Text("req=7f3a9c")         // or Regexp, Values, NonZero, LineCount, ...
//	for hit, err := range thresh.Hits(ctx, in, query, options.Find{}) {
//		...
//	}
//
// [Find] and [Hits] return places, [Count] returns a number, [Table] answers questions about
// delimited text, [Minify] writes JSON without its white space. FindAll, CountAll and TableAll do
// the same for many files. [Compare] says where two inputs differ,
// [CompareFolders] which files.
//
// How the bytes reach memory (a mapping, parallel reads, direct reads through io_uring, a stream) is
// chosen by measuring the first pieces of the real work. Answers never depend on that choice, on the
// number of workers, or on the instruction set.
//
// # Reports and errors
//
// A part of a file that cannot be read does not end a run: the report lists it in Unread and says
// that it is not Complete. Errors that a caller may want to handle are documented types, found by
// [errors.As], and values such as [failure.ErrTruncated], found by [errors.Is]; use these functions, because an
// error may be wrapped. A report that comes with an error is valid: it covers what was read.
//
// Options and arguments are checked by the call that uses them: a value that cannot be used, such as a
// negative number, an unknown constant, or a writer, reader, function or context that is nil, is a
// [failure.OptionError].
//
// # Concurrency
//
// A [Query] may be used by any number of calls at once. An [Input] serves one call at a time. Functions
// that a caller passes in are called by one goroutine at a time.
//
// # Stability
//
// The module follows semantic versioning. Before v1.0.0 a minor version may change the API, and the
// changelog says how; a patch version never does. Texts for people (errors, verdicts, plans) and the
// choice of engines may change at any time; answers, error types, and the names of walls do not.
package thresh
