package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/output/outfile"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// printer writes results to standard output, or to the file of --output, and unread ranges to standard
// error.
type printer struct {
	flags *shared
	file  *os.File
	to    *outfile.File // of --output; nil for standard output
	w     *bufio.Writer
	errs  io.Writer
	err   error // the first write error
}

var outputBytes = threshold.New("output: buffer", 64<<10, 16)

func newPrinter(c *console, flags *shared) *printer {
	p := &printer{flags: flags, file: c.out, errs: c.err}
	p.w = bufio.NewWriterSize(p, outputBytes.Get())
	return p
}

// outputError is an error of the output. It ends the run, unlike an error of one input.
type outputError struct{ error }

func (e *outputError) Unwrap() error { return e.error }

func isOutput(err error) bool {
	var e *outputError
	return errors.As(err, &e)
}

// begin creates the file of --output, if there is one. Nothing may have been printed before.
func (p *printer) begin() (err error) {
	if name := p.flags.output; name != "" && name != "-" && !p.flags.dryRun {
		if p.to, err = outfile.Create(name); err != nil {
			return err
		}
		p.file = p.to.OS()
	}
	p.w.Reset(p)
	return nil
}

// finish puts the file of --output in place if the results are complete, and otherwise leaves what was
// there before. It returns the error of the run, or its own.
func (p *printer) finish(err error, complete bool) error {
	switch {
	case p.to == nil:
		return err
	case err == nil && complete:
		return p.to.Commit(p.to.Replaces())
	}
	err = errors.Join(err, p.to.Abort())
	fmt.Fprintf(p.errs, "thresh: %s was not written: it would be incomplete\n", p.to.Name())
	return err
}

// Write writes the results, and marks errors as output errors.
func (p *printer) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	if err != nil {
		to := "standard output"
		if p.to != nil {
			to = p.to.Name()
		}
		return n, &outputError{fmt.Errorf("write %s: %w", to, err)}
	}
	return n, nil
}

// outputIsNoInput returns an error if the file of --output is also an input.
func (s *shared) outputIsNoInput(inputs []string) error {
	to, err := os.Stat(s.output)
	if err != nil || !to.Mode().IsRegular() {
		return nil // a new file, or opening it reports the error
	}
	for _, name := range inputs {
		if info, err := os.Stat(name); err == nil && os.SameFile(info, to) {
			return fmt.Errorf("-o %s is also the input %s, and would be overwritten: choose another name", s.output, name)
		}
	}
	return nil
}

// colors reports whether to print colours, as --color asks.
func (s *shared) colors(when string, out *os.File) bool {
	terminal := isTerminal(out) && (s.output == "" || s.output == "-")
	return when == "always" || when == "auto" && terminal && os.Getenv("NO_COLOR") == ""
}

// unread reports a range that could not be read, on standard error and in the JSON output.
func (p *printer) unread(name string, u *thresh.UnreadError) {
	fmt.Fprintf(p.errs, "thresh: %v\n", u)
	if p.flags.json && !p.flags.quiet {
		p.json(map[string]any{"file": jsonText(name), "unread": map[string]any{
			"offset": u.Off, "length": u.Len, "error": u.Err.Error()}})
	}
}

// json writes v as a line of JSON.
func (p *printer) json(v any) {
	b, err := json.Marshal(v)
	if err == nil {
		_, err = p.w.Write(append(b, '\n'))
	}
	if p.err == nil {
		p.err = err
	}
}

// jsonText is text of any bytes, such as a file name or a line. In JSON it is a string, or
// {"bytes": base64} if it is not UTF-8, because a JSON string cannot hold it then.
type jsonText string

// MarshalJSON returns the text as a JSON string or as {"bytes": base64}.
func (t jsonText) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(map[string][]byte{"bytes": []byte(t)})
}

// appendJSON appends t as JSON to b.
func appendJSON(b []byte, t jsonText) []byte {
	quoted, err := t.MarshalJSON()
	if err != nil {
		panic("thresh: bug: text that cannot be written as JSON: " + err.Error())
	}
	return append(b, quoted...)
}
