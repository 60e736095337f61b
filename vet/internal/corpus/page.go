package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/vet"
	"github.com/thresh-dev/thresh/vet/internal/section"
)

// writePage writes the parts of the page that come from findings.json.
func writePage(findings, page string) error {
	r, err := readRecord(findings)
	if err != nil {
		return err
	}
	return errors.Join(
		section.Write(page, "precision", r.precisionTable()),
		section.Write(page, "modules", r.moduleTable()),
		section.Write(page, "unloaded", r.unloadedList()),
		section.Write(page, "findings", r.findingsList()),
	)
}

// precisionTable has a line for each rule, and one for each severity.
func (r record) precisionTable() string {
	byRule := map[string]*precision{}
	for _, rule := range vet.Rules() {
		byRule[rule.Analyzer.Name] = &precision{}
	}
	for _, f := range r.all() {
		if p := byRule[f.Rule]; p != nil {
			p.add(f)
		}
	}
	var b strings.Builder
	b.WriteString("| rule | severity | findings | true | false | precision |\n|---|---|--:|--:|--:|--:|\n")
	line := func(name, severity string, p *precision) {
		ratio := "–"
		if p.right+p.wrong > 0 {
			ratio = fmt.Sprintf("%.2f", p.ratio())
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %s |\n", name, severity, p.right+p.wrong+p.open, p.right, p.wrong, ratio)
	}
	for _, rule := range vet.Rules() {
		line(fmt.Sprintf("[%s](vet/%[1]s.md)", rule.Analyzer.Name), rule.Severity, byRule[rule.Analyzer.Name])
	}
	sums := r.bySeverity()
	line("**all errors**", "", sums[vet.Error])
	line("**all warnings**", "", sums[vet.Warning])
	return b.String()
}

// moduleTable has a line for each module.
func (r record) moduleTable() string {
	var b strings.Builder
	var packages, left int
	b.WriteString("| module | version | packages | not loaded | true | false |\n|---|---|--:|--:|--:|--:|\n")
	for _, m := range r {
		var p precision
		for _, f := range m.Findings {
			p.add(f)
		}
		packages += m.Packages
		left += len(m.Unloaded)
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d |\n",
			m.Module, m.Version, m.Packages, len(m.Unloaded), p.right, p.wrong)
	}
	fmt.Fprintf(&b, "\n%d modules, %d packages analysed, %d not loaded.\n", len(r), packages, left)
	return b.String()
}

// unloadedList says for each module why packages could not be loaded; a reason that many packages share
// comes once.
func (r record) unloadedList() string {
	var b strings.Builder
	for _, m := range r {
		packages := map[string][]string{}
		var reasons []string
		for _, u := range m.Unloaded {
			reason := short(u.Reason)
			if packages[reason] == nil {
				reasons = append(reasons, reason)
			}
			packages[reason] = append(packages[reason], u.Package)
		}
		for _, reason := range reasons {
			all := packages[reason]
			name := "`" + all[0] + "`"
			if len(all) > 1 {
				name += fmt.Sprintf(" and %d more", len(all)-1)
			}
			fmt.Fprintf(&b, "- %s: %s: `%s`\n", m.Module, name, reason)
		}
	}
	if b.Len() == 0 {
		return "All packages were loaded.\n"
	}
	return b.String()
}

// short takes the position off a reason, and cuts it where it would fill a page.
func short(reason string) string {
	if at := strings.Index(reason, ".go:"); at >= 0 {
		if _, rest, ok := strings.Cut(reason[at:], ": "); ok {
			reason = rest
		}
	}
	if runes := []rune(reason); len(runes) > 160 {
		reason = string(runes[:160]) + "…"
	}
	return strings.ReplaceAll(reason, "`", "'")
}

// findingsList has each finding with its verdict and the reason, by module.
func (r record) findingsList() string {
	var b strings.Builder
	for _, m := range r {
		if len(m.Findings) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n### %s %s\n\n| where | rule | verdict | reason |\n|---|---|---|---|\n", m.Module, m.Version)
		for _, f := range slices.SortedFunc(slices.Values(m.Findings), finding.compare) {
			verdict := f.Verdict
			if verdict == "" {
				verdict = "not reviewed"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.at(), f.Rule, verdict, strings.ReplaceAll(f.Reason, "|", "\\|"))
		}
	}
	return strings.TrimLeft(b.String(), "\n")
}
