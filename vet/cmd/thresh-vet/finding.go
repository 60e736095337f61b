package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"

	"github.com/thresh-dev/thresh/vet"
)

// place is where something is. Columns count bytes from 1, as those of Go.
type place struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
	EndColumn int    `json:"end_column,omitempty"`
}

func (p place) String() string {
	if p.Column == 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// finding is what a rule reports.
type finding struct {
	place
	Rule     string    `json:"rule"`
	Severity string    `json:"severity"`
	Message  string    `json:"message"`
	URL      string    `json:"url"`
	Related  []related `json:"related,omitempty"`
	Fixable  bool      `json:"fixable,omitempty"`
	Possible bool      `json:"possible,omitempty"` // no copy is known that it costs anything

	about string // of a comment: the rule that it silences
	edits []edit // of its fix
}

// related is another place that a finding is about.
type related struct {
	place
	Message string `json:"message"`
}

// of makes f a finding of a rule.
func (f *finding) of(rule string) {
	f.Rule, f.Possible = rule, strings.HasSuffix(f.Message, vet.Possible)
	for _, r := range vet.Rules() {
		if r.Analyzer.Name == rule {
			f.Severity, f.URL = r.Severity, r.Analyzer.URL
		}
	}
}

// shown reports whether a finding is one of some rules, and neither a warning in a test file nor one that
// is only possible unless that is asked for. A comment that names a rule which is not asked for is not judged, either.
func (f finding) shown(rules []string, tests, possible bool) bool {
	if !slices.Contains(rules, f.Rule) || f.Possible && !possible {
		return false
	}
	if f.Rule == vet.UnusedIgnore.Name {
		return f.about == "" || slices.Contains(rules, f.about)
	}
	return tests || f.Severity == vet.Error || !strings.HasSuffix(f.File, "_test.go")
}

// printRules prints the list of rules.
func printRules(w io.Writer, asJSON bool) error {
	if asJSON {
		for _, r := range vet.Rules() {
			err := json.NewEncoder(w).Encode(map[string]string{
				"rule": r.Analyzer.Name, "severity": r.Severity, "short": r.Short, "url": r.Analyzer.URL})
			if err != nil {
				return err
			}
		}
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range vet.Rules() {
		fmt.Fprintf(t, "%s\t%s\t%s\n", r.Analyzer.Name, r.Severity, r.Short)
	}
	return t.Flush()
}

// Colours of a terminal.
const (
	plain  = "\x1b[0m"
	bold   = "\x1b[1m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
)

// printText prints a line for each finding, in colour on a terminal, and one for each other place that it is about.
func printText(w io.Writer, found []finding) error {
	file, ok := w.(*os.File)
	color := ok && term.IsTerminal(int(file.Fd())) && os.Getenv("NO_COLOR") == ""
	b := bufio.NewWriter(w)
	for _, f := range found {
		if !color {
			fmt.Fprintf(b, "%v: %s (%s)\n", f.place, f.Message, f.Rule)
		} else {
			hue := yellow
			if f.Severity == vet.Error {
				hue = red
			}
			fmt.Fprintf(b, "%s%v:%s %s %s(%s)%s\n", bold, f.place, plain, f.Message, hue, f.Rule, plain)
		}
		for _, r := range f.Related {
			fmt.Fprintf(b, "\t%v: %s\n", r.place, r.Message)
		}
	}
	return b.Flush()
}

// printJSON prints a line for each finding, and one with their number. complete says whether all packages
// were checked.
func printJSON(w io.Writer, found []finding, complete bool) error {
	b := bufio.NewWriter(w)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	errors := 0
	for _, f := range found {
		if f.Severity == vet.Error {
			errors++
		}
		if err := e.Encode(f); err != nil {
			return err
		}
	}
	err := e.Encode(map[string]any{"summary": map[string]any{
		"errors": errors, "warnings": len(found) - errors, "complete": complete}})
	if err != nil {
		return err
	}
	return b.Flush()
}
