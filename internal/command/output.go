package command

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/output/outfile"
)

// Output is where the results of a run go: standard output, or the file of --output, which appears when it is complete.
// It buffers what is written to it.
type Output struct {
	*bufio.Writer
	console *Console
	flags   *Shared
	file    *outfile.File // of --output; nil for standard output
}

const outputBytes = 64 << 10

func newOutput(c *Console, flags *Shared) *Output {
	o := &Output{console: c, flags: flags}
	o.Writer = bufio.NewWriterSize(direct{o}, outputBytes)
	return o
}

// begin creates the file of --output, if there is one.
func (o *Output) begin() (err error) {
	if o.flags.Output != "" && !o.flags.DryRun {
		o.file, err = outfile.Create(o.flags.Output)
	}
	return err
}

// finish puts the file of --output in place if the results are complete, and otherwise leaves what was there before. It
// returns the error of the run, or its own.
func (o *Output) finish(err error, complete bool) error {
	switch {
	case o.file == nil:
		return err
	case err == nil && complete:
		return o.file.Commit(o.file.Replaces())
	}
	err = errors.Join(err, o.file.Abort())
	if !o.flags.Quiet {
		fmt.Fprintf(o.console.Err, "thresh: %s was not written: it would be incomplete\n", o.file.Name())
	}
	return err
}

// BeginOutput has the results that follow go to another file of --output.
func (r *Run) BeginOutput(name string) error {
	r.Output = name
	if err := r.OutputIsInput(false); err != nil {
		return Exit(WrongUsage, err)
	}
	r.Out = newOutput(r.Console, r.Shared)
	return r.Out.begin()
}

// EndOutput puts the file of --output in place if it is complete, before the run has ended.
func (r *Run) EndOutput(complete bool) error {
	err := r.Out.finish(nil, complete)
	r.Out.file = nil
	return err
}

// OS returns the file that results go to. What is written to it is not buffered, and not part of Output's own buffer.
func (o *Output) OS() *os.File {
	if o.file != nil {
		return o.file.OS()
	}
	return o.console.Out
}

// Name returns what errors call the output.
func (o *Output) Name() string {
	if o.file != nil {
		return o.file.Name()
	}
	return "standard output"
}

// ToFile reports whether results go to a file of --output.
func (o *Output) ToFile() bool { return o.file != nil }

// Regular reports whether results go to a file of --output that is a regular one.
func (o *Output) Regular() bool { return o.file != nil && o.file.Regular() }

// Unbuffered returns a writer to the output past the buffer.
func (o *Output) Unbuffered() io.Writer { return direct{o} }

// Terminal reports whether results go to a terminal.
func (o *Output) Terminal() bool { return o.flags.Output == "" && IsTerminal(o.console.Out) }

// Colors reports whether to print colours, as --color asks.
func (o *Output) Colors() bool {
	return o.flags.Color == "always" || o.flags.Color == "auto" && o.Terminal() && os.Getenv("NO_COLOR") == ""
}

// ASCII reports whether drawings are made of ASCII: the terminal is dumb, or the locale names another encoding than
// UTF-8.
func (o *Output) ASCII() bool {
	locale := cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG"), "UTF-8")
	unicode := strings.Contains(strings.ReplaceAll(strings.ToLower(locale), "-", ""), "utf8")
	return os.Getenv("TERM") == "dumb" || !unicode
}

// direct writes to an output without its buffer.
type direct struct{ o *Output }

// Write marks errors as those of the output.
func (d direct) Write(b []byte) (n int, err error) {
	if d.o.file != nil {
		if n, err = d.o.file.Write(b); err != nil {
			err = &outputError{err}
		}
		return n, err
	}
	n, err = d.o.console.Out.Write(b)
	return n, d.o.WriteError(err)
}

// outputError is an error of the output.
type outputError struct{ error }

func (e *outputError) Unwrap() error { return e.error }

// IsOutput reports whether an error is that of the output: it ends the run, unlike an error of one input.
func IsOutput(err error) bool {
	var e *outputError
	var write *failure.WriteError
	return errors.As(err, &e) || errors.As(err, &write)
}

// WriteError returns the error of writing the output; nil for nil.
func (o *Output) WriteError(err error) error {
	if err == nil {
		return nil
	}
	return &outputError{fmt.Errorf("write %s: %w", o.Name(), err)}
}

// named names the output in an error of the library about writing to it.
func (o *Output) named(err error) error {
	var own *outputError
	var e *failure.WriteError
	if errors.As(err, &own) || !errors.As(err, &e) {
		return err
	}
	switch e.Name {
	case "":
		return o.WriteError(e.Err)
	case o.OS().Name():
		e.Name = o.Name()
	}
	return &outputError{e}
}

// JSON writes v as a line of JSON. An error is that of the next Flush.
func (o *Output) JSON(v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		_, err = o.Write(append(b, '\n'))
	}
	return err
}

// Text is text of any bytes, such as a file name or a line. In JSON it is a string, or {"bytes": base64} if it is not
// UTF-8, because a JSON string cannot hold it then.
type Text string

// MarshalJSON returns the text as a JSON string or as {"bytes": base64}.
func (t Text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(map[string][]byte{"bytes": []byte(t)})
}

// AppendJSON appends the text as JSON to b.
func (t Text) AppendJSON(b []byte) []byte {
	quoted, err := t.MarshalJSON()
	if err != nil {
		panic("thresh: bug: text that cannot be written as JSON: " + err.Error())
	}
	return append(b, quoted...)
}
