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
	"github.com/thresh-dev/thresh/internal/threshold"
)

// printer writes results to standard output and unread ranges to standard error.
type printer struct {
	flags *shared
	file  *os.File
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

// Write writes to standard output, and marks its errors as output errors.
func (p *printer) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	if err != nil {
		return n, &outputError{fmt.Errorf("write standard output: %w", err)}
	}
	return n, nil
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
