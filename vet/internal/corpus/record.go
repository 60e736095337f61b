package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/vet"
)

// finding is what a rule reported, and what reading the code has shown.
type finding struct {
	Module  string `json:"-"` // of its result
	File    string `json:"file"`
	Line    int    `json:"line"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
	Verdict string `json:"verdict"` // "true", "false", or "" if nobody has looked
	Reason  string `json:"reason"`
}

// The verdicts.
const (
	isTrue  = "true"
	isFalse = "false"
)

func (f finding) compare(g finding) int {
	return cmp.Or(strings.Compare(f.File, g.File), f.Line-g.Line, strings.Compare(f.Rule, g.Rule),
		strings.Compare(f.Message, g.Message))
}

func (f finding) at() string { return fmt.Sprintf("%s:%d", f.File, f.Line) }

// record is the content of findings.json: a result for each module.
type record []result

func readRecord(path string) (r record, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i := range r {
		for j := range r[i].Findings {
			r[i].Findings[j].Module = r[i].Module
		}
	}
	return r, nil
}

func (r record) write(path string) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(r); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

// take puts the new result of a module in the place of its old one. The verdicts stay with findings of
// the same rule at the same line. What is new, and what is gone, is printed.
func (r *record) take(got result, out io.Writer) {
	i := slices.IndexFunc(*r, func(old result) bool { return old.Module == got.Module })
	if i < 0 {
		*r = append(*r, result{})
		i = len(*r) - 1
	}
	old := (*r)[i].Findings
	same := func(f, g finding) bool { return f.File == g.File && f.Line == g.Line && f.Rule == g.Rule }
	for j := range got.Findings {
		f := &got.Findings[j]
		k := slices.IndexFunc(old, func(g finding) bool { return same(*f, g) })
		if k >= 0 {
			f.Verdict, f.Reason = old[k].Verdict, old[k].Reason
		}
		if f.Verdict == "" {
			fmt.Fprintf(out, "  new   %s %s: %s\n", f.at(), f.Rule, f.Message)
		}
	}
	for _, g := range old {
		if !slices.ContainsFunc(got.Findings, func(f finding) bool { return same(f, g) }) {
			fmt.Fprintf(out, "  gone  %s %s (%s)\n", g.at(), g.Rule, g.Verdict)
		}
	}
	(*r)[i] = got
}

// drop removes modules that are not in the list, and puts the others into its order.
func (r *record) drop(list []module) {
	place := map[string]int{}
	for i, m := range list {
		place[m.Path] = i + 1
	}
	*r = slices.DeleteFunc(*r, func(m result) bool { return place[m.Module] == 0 })
	slices.SortFunc(*r, func(a, b result) int { return place[a.Module] - place[b.Module] })
}

// all returns the findings of all modules.
func (r record) all() (all []finding) {
	for _, m := range r {
		all = append(all, m.Findings...)
	}
	return all
}

// precision is how many findings were true.
type precision struct{ right, wrong, open int }

func (p *precision) add(f finding) {
	switch f.Verdict {
	case isTrue:
		p.right++
	case isFalse:
		p.wrong++
	default:
		p.open++
	}
}

// ratio is the share of true findings, 1 if there are none.
func (p precision) ratio() float64 {
	if p.right+p.wrong == 0 {
		return 1
	}
	return float64(p.right) / float64(p.right+p.wrong)
}

// bySeverity returns the precision of errors and of warnings.
func (r record) bySeverity() map[vet.Severity]*precision {
	severity := severities()
	sums := map[vet.Severity]*precision{vet.Error: {}, vet.Warning: {}}
	for _, f := range r.all() {
		if s, ok := severity[f.Rule]; ok {
			sums[s].add(f)
		}
	}
	return sums
}

func severities() map[string]vet.Severity {
	all := map[string]vet.Severity{}
	for _, rule := range vet.Rules() {
		all[rule.Analyzer.Name] = rule.Severity
	}
	return all
}

// The least precision of each severity.
const (
	errorsMin   = 1.0
	warningsMin = 0.9
)

// check returns an error if findings are not reviewed, or too many are false.
func (r record) check() error {
	sums := r.bySeverity()
	e, w := sums[vet.Error], sums[vet.Warning]
	switch {
	case e.open+w.open > 0:
		return fmt.Errorf("%d findings are not reviewed: read the code, and write verdict and reason into %s",
			e.open+w.open, findingsFile)
	case e.ratio() < errorsMin:
		return fmt.Errorf("%d of %d errors are false", e.wrong, e.right+e.wrong)
	case w.ratio() < warningsMin:
		return fmt.Errorf("%d of %d warnings are false", w.wrong, w.right+w.wrong)
	}
	return nil
}
