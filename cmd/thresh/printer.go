package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/thresh-dev/thresh"
)

// printer writes results to standard output, and what could not be read to standard error.
type printer struct {
	flags *shared
	file  *os.File
	w     *bufio.Writer
	errs  io.Writer
	err   error // the first that writing returned
}

const outputBytes = 64 << 10

func newPrinter(c *console, flags *shared) *printer {
	p := &printer{flags: flags, file: c.out, errs: c.err}
	p.w = bufio.NewWriterSize(p, outputBytes)
	return p
}

// outputError is an error of standard output, as against one of an input.
type outputError struct{ error }

func (e *outputError) Unwrap() error { return e.error }

func isOutput(err error) bool {
	var e *outputError
	return errors.As(err, &e)
}

// Write writes to standard output.
func (p *printer) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	if err != nil {
		return n, &outputError{fmt.Errorf("write standard output: %w", err)}
	}
	return n, nil
}

// unread names a range that could not be read: on standard error, and in the JSON.
func (p *printer) unread(name string, u *thresh.Unread) {
	fmt.Fprintf(p.errs, "thresh: %v\n", u)
	if p.flags.json && !p.flags.quiet {
		p.json(map[string]any{"file": name, "unread": map[string]any{
			"offset": u.Off, "length": u.Len, "error": u.Err.Error()}})
	}
}

func (p *printer) json(v any) {
	b, err := json.Marshal(v)
	if err == nil {
		_, err = p.w.Write(append(b, '\n'))
	}
	if p.err == nil {
		p.err = err
	}
}

func appendJSON(b []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic("thresh: bug: a string that JSON cannot hold: " + err.Error())
	}
	return append(b, quoted...)
}
