package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/answer"
	flags "github.com/thresh-dev/thresh/internal/command"
)

// lines writes an answer line by line.
type lines struct {
	*bufio.Writer
	headed bool // the header of the bins was written
}

func newLines(to io.Writer) *lines { return &lines{Writer: bufio.NewWriter(to)} }

func (w *lines) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(w, format, args...)
	return err
}

func (w *lines) object(o map[string]any) error {
	b, err := json.Marshal(o)
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}

// prefixed writes text with a prefix before each line.
func (w *lines) prefixed(prefix string, text []byte) error {
	if prefix == "" {
		_, err := w.Write(text)
		return err
	}
	for line := range bytes.Lines(text) {
		if _, err := w.WriteString(prefix); err != nil {
			return err
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// jsonLines writes an object for each line of text. A line that is not UTF-8 is in base64.
func (w *lines) jsonLines(name string, text []byte) error {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		var value any = string(line)
		if !utf8.Valid(line) {
			value = map[string]any{"bytes": line}
		}
		if err := w.object(map[string]any{"file": name, "line": value}); err != nil {
			return err
		}
	}
	return nil
}

// bins writes a histogram as CSV.
func (w *lines) bins(name string, h *answer.Histogram) error {
	header := !w.headed
	w.headed = true
	return flags.Histogram(w, name, h, header)
}

// end writes what is left. Without anything found the error is errNone.
func (w *lines) end(found bool) error {
	if err := w.Flush(); err != nil || found {
		return err
	}
	return errNone
}
