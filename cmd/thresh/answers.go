package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/output/encode"
	"github.com/thresh-dev/thresh/internal/output/outfile"
)

// answers writes the answers about a table.
type answers struct {
	run    *tabling
	file   *outfile.File // nil for standard output
	to     io.Writer
	w      encode.Writer
	values []encode.Value
}

func newAnswers(s *tabling) (*answers, error) {
	a := &answers{run: s, to: newPrinter(s.console, s.shared)}
	terminal := s.flags.output == "" && isTerminal(s.console.out)
	switch {
	case s.shared.quiet:
		a.to = io.Discard
	case terminal && (s.format == encode.FormatArrow || s.format == encode.FormatParquet):
		return nil, fmt.Errorf("%s is not for a terminal: write it to a file with -o, or to a pipe", s.format)
	case s.flags.output != "":
		if name := s.isInput(s.flags.output); name != "" {
			return nil, fmt.Errorf("-o %s is an input, and would be overwritten; choose another name", name)
		}
		var err error
		if a.file, err = outfile.Create(s.flags.output); err != nil {
			return nil, err
		}
		a.to = a.file
	}
	o := encode.Options{Format: s.format, Answers: len(s.spec.Questions), Terminal: terminal,
		Color: terminal && os.Getenv("NO_COLOR") == "", File: a.file != nil && a.file.Regular()}
	if terminal {
		if width, _, err := term.GetSize(int(s.console.out.Fd())); err == nil {
			o.WidthMax = width
		}
	}
	var err error
	if a.w, err = encode.New(a.to, o); err != nil {
		return nil, errors.Join(err, a.abort())
	}
	return a, nil
}

// isInput returns the input that a file is, "" where it is none.
func (s *tabling) isInput(output string) string {
	to, err := os.Stat(output)
	if err != nil || !to.Mode().IsRegular() {
		return ""
	}
	for _, name := range s.inputs {
		if info, err := os.Stat(name); err == nil && os.SameFile(info, to) {
			return name
		}
	}
	return ""
}

// Begin writes the heading of an answer.
func (a *answers) Begin(title string, columns []thresh.Column) error {
	var headings []encode.Column
	for _, c := range columns {
		headings = append(headings, encode.Column{Name: c.Name, Type: types[c.Type], Scale: c.Scale})
	}
	return a.w.Begin(title, headings)
}

var types = map[thresh.ColumnType]encode.Type{
	thresh.TextColumn: encode.Text, thresh.IntegerColumn: encode.Integer,
	thresh.DecimalColumn: encode.Decimal, thresh.FloatColumn: encode.Float,
}

// Row writes a row of an answer.
func (a *answers) Row(cells []thresh.Cell) error {
	a.values = a.values[:0]
	for _, c := range cells {
		a.values = append(a.values, encode.Value(c))
	}
	return a.w.Row(a.values)
}

// End ends an answer.
func (a *answers) End(notes []string) error { return a.w.End(notes) }

func (a *answers) abort() error {
	if a.file == nil {
		return nil
	}
	return a.file.Abort()
}

// tableSummary is the last line of --json.
type tableSummary struct {
	Records   int64            `json:"records"`
	Bytes     int64            `json:"bytes"`
	Malformed int64            `json:"malformed"`
	BadLines  int64            `json:"malformed_lines,omitempty"`
	BadBytes  int64            `json:"malformed_bytes,omitempty"`
	Empty     int64            `json:"empty_lines"`
	Bad       map[string]int64 `json:"not_numbers,omitempty"`
	Cut       int64            `json:"cut_bytes,omitempty"`
	Unread    []map[string]any `json:"unread,omitempty"`
	Complete  bool             `json:"complete"`
}

// end writes what is held back. A file appears only when the answers are complete.
func (a *answers) end(r *thresh.TableReport, complete bool, err error) error {
	if err == nil {
		err = a.w.Close()
	}
	if err == nil && a.run.flags.json && !a.run.flags.quiet {
		err = a.summary(r, complete)
	}
	if err == nil {
		for _, note := range a.w.Notes() {
			if !a.run.flags.quiet {
				fmt.Fprintf(a.run.console.err, "thresh: note: %s\n", note)
			}
		}
	}
	switch {
	case a.file == nil:
		return err
	case err == nil && complete:
		return a.file.Commit(true)
	}
	if aerr := a.file.Abort(); err == nil {
		err = aerr
	}
	if !complete && err == nil {
		fmt.Fprintf(a.run.console.err, "thresh: %s was not written: the answers are incomplete\n", a.run.flags.output)
	}
	return err
}

func (a *answers) summary(r *thresh.TableReport, complete bool) error {
	s := tableSummary{Records: r.Records, Bytes: r.Bytes, Malformed: r.Malformed, Empty: r.Empty, Complete: complete,
		BadLines: r.MalformedLines, BadBytes: r.MalformedBytes, Cut: r.Cut}
	for _, b := range r.Bad {
		if s.Bad == nil {
			s.Bad = map[string]int64{}
		}
		name := b.Column
		if _, twice := s.Bad[name]; twice { // the header has it over several columns
			name = fmt.Sprintf("%s (column %d)", name, b.Number)
		}
		s.Bad[name] = b.Count
	}
	for _, u := range r.Unread {
		s.Unread = append(s.Unread, map[string]any{
			"file": jsonText(u.Name), "offset": u.Off, "length": u.Len, "error": u.Err.Error()})
	}
	b, err := json.Marshal(map[string]any{"summary": s})
	if err != nil {
		return err
	}
	_, err = a.to.Write(append(b, '\n'))
	return err
}
