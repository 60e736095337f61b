package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/output/outfile"
)

// tableOutput writes the answers about a table to standard output or a file.
type tableOutput struct {
	run  *tableRun
	file *outfile.File // nil for standard output
	to   io.Writer
	*thresh.Writer
}

func newTableOutput(s *tableRun) (*tableOutput, error) {
	a := &tableOutput{run: s, to: newPrinter(s.console, s.shared)}
	terminal := s.flags.output == "" && isTerminal(s.console.out)
	switch {
	case s.shared.quiet:
		a.to = io.Discard
	case terminal && (s.format == thresh.FormatArrow || s.format == thresh.FormatParquet):
		return nil, fmt.Errorf("%s is not for a terminal: write it to a file with -o, or to a pipe", s.format)
	case s.flags.output != "":
		if name := s.isInput(s.flags.output); name != "" {
			return nil, fmt.Errorf("-o %s is an input, and would be overwritten: choose another name", name)
		}
		var err error
		if a.file, err = outfile.Create(s.flags.output); err != nil {
			return nil, err
		}
		a.to = a.file
	}
	o := thresh.WriterOptions{Answers: len(s.spec.Questions), Terminal: terminal,
		Color: s.flags.shared.colors(s.flags.color, s.console.out), File: a.file != nil && a.file.Regular()}
	if s.flags.asked.onlyRecords() {
		d := s.spec.Dialect
		o.NoHeading = !d.Header && !d.JSON
		if d.Delim != 0 { // the records look as in the table that they come from
			o.Delim, o.Quote, o.Unquoted = d.Delim, d.Quote, d.Quote == 0
		}
	}
	if terminal {
		if width, _, err := term.GetSize(int(s.console.out.Fd())); err == nil {
			o.Width = width
		}
	}
	var err error
	if a.Writer, err = thresh.NewWriter(a.to, s.format, o); err != nil {
		return nil, errors.Join(err, a.abort())
	}
	return a, nil
}

// isInput returns the name of the input that is the same file as the output, "" if none is.
func (s *tableRun) isInput(output string) string {
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

// abort removes an unfinished output file.
func (a *tableOutput) abort() error {
	if a.file == nil {
		return nil
	}
	return a.file.Abort()
}

// tableSummary is the last line of the JSON output.
type tableSummary struct {
	Records   int64            `json:"records"`
	Bytes     int64            `json:"bytes"`
	Malformed int64            `json:"malformed"`
	BadLines  int64            `json:"malformed_lines,omitempty"`
	BadBytes  int64            `json:"malformed_bytes,omitempty"`
	Empty     int64            `json:"empty_lines"`
	Bad       map[string]int64 `json:"not_numbers,omitempty"`
	Absent    []string         `json:"absent,omitempty"`
	Cut       int64            `json:"cut_bytes,omitempty"`
	Unread    []map[string]any `json:"unread,omitempty"`
	Complete  bool             `json:"complete"`
}

// end writes buffered answers, the JSON summary and notes. It puts an output file in place only
// if the answers are complete.
func (a *tableOutput) end(r *thresh.TableReport, complete bool, err error) error {
	var problem *thresh.Problem
	if err == nil {
		err = a.Close()
	} else if errors.As(err, &problem) && a.run.flags.asked.selected() != nil {
		err = errors.Join(err, a.Close()) // the records before the malformed one
	}
	if err == nil && a.run.flags.json && !a.run.flags.quiet {
		err = a.summary(r, complete)
	}
	if err == nil {
		for _, note := range a.Notes() {
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

func (a *tableOutput) summary(r *thresh.TableReport, complete bool) error {
	s := tableSummary{Records: r.Records, Bytes: r.Bytes, Malformed: r.Malformed, Empty: r.Empty, Complete: complete,
		BadLines: r.MalformedLines, BadBytes: r.MalformedBytes, Cut: r.Cut}
	for _, c := range r.Absent {
		s.Absent = append(s.Absent, c.Column)
	}
	for _, b := range r.NotNumbers {
		if s.Bad == nil {
			s.Bad = map[string]int64{}
		}
		name := b.Column
		if _, twice := s.Bad[name]; twice { // several columns have the same name
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

// notes reports what was left out of the answers, on standard error.
func (s *tableRun) notes(r *thresh.TableReport) {
	if s.flags.quiet {
		return
	}
	note := func(format string, args ...any) {
		fmt.Fprintf(s.console.err, "thresh: note: "+format+"\n", args...)
	}
	for _, a := range r.Absent {
		if a.Like != "" {
			a.Like = "; did you mean " + a.Like + "?"
		}
		note("column %s: no line that was read has it%s", a.Column, a.Like)
	}
	for _, b := range r.NotNumbers {
		what := "fields are not numbers and were"
		if b.Count == 1 {
			what = "field is not a number and was"
		}
		note("column %s: %d %s skipped; the first: %v", b.Column, b.Count, what, &b.First)
	}
	if r.Malformed > 0 && len(r.Problems) > 0 {
		what, records := "left out", "records were"
		if s.spec.Malformed == thresh.MalformedKeep {
			what = "kept"
		}
		if r.Malformed == 1 {
			records = "record was"
		}
		note("%d malformed %s %s (%s, %d bytes); the first: %v", r.Malformed, records, what,
			plural(r.MalformedLines, "line"), r.MalformedBytes, &r.Problems[0])
	}
	if r.Cut > 0 {
		note("%d bytes were left out: they belong to records that extend into an unread range", r.Cut)
	}
	s.noteSkipped()
}
