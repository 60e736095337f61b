// Package vet has go/analysis analyzers that find Go code which silently leaves the zero-copy path: code
// in which a file or a connection, on its way to another, loses sendfile, splice or copy_file_range, and
// is copied through the memory of the process instead.
//
// Each rule is an analyzer of its own. Rules says what each one costs and how sure it is; All returns all
// analyzers, for a multichecker, go vet -vettool or golangci-lint. The command thresh-vet runs them.
//
// A rule says nothing about code that it can't be sure of. A comment silences one at its line, or at the
// line below, if it gives a reason; one that silences nothing is a finding itself:
//
//	//thresh:ignore RULE reason
package vet

import (
	"golang.org/x/tools/go/analysis"

	"github.com/thresh-dev/thresh/vet/internal/finding"
)

// Severity says what a finding means.
type Severity = string

// The values of Severity.
const (
	Error   Severity = finding.Error   // wrong: counts, limits or encryption are bypassed, or the program hangs
	Warning Severity = finding.Warning // right, but slower than it need be
)

// TestsFlag is the flag of a warning's analyzer that makes it report in test files, too.
const TestsFlag = finding.TestsFlag

// Rule is a rule of this package.
type Rule struct {
	Analyzer *analysis.Analyzer
	Severity Severity
	Short    string // in one line, for lists
}

// Rules returns all rules, errors first. UnusedIgnore, which is about comments, is the last.
func Rules() []Rule {
	var rules []Rule
	for _, a := range analyzers {
		s := finding.SpecOf(a)
		rules = append(rules, Rule{a, s.Severity, s.Short})
	}
	return append(rules, Rule{UnusedIgnore, Warning, "comment that silences nothing, or gives no reason"})
}

// All returns the analyzers of all rules.
func All() []*analysis.Analyzer {
	return append(append([]*analysis.Analyzer(nil), analyzers...), UnusedIgnore)
}

// Facts returns the analyzers that find out about a package what the analysis of others needs. Drivers
// that work package by package run them on dependencies, and the rules on what was asked for.
func Facts() (found []*analysis.Analyzer) {
	seen := map[*analysis.Analyzer]bool{}
	var visit func([]*analysis.Analyzer)
	visit = func(all []*analysis.Analyzer) {
		for _, a := range all {
			if seen[a] {
				continue
			}
			seen[a] = true
			visit(a.Requires)
			if len(a.FactTypes) > 0 {
				found = append(found, a)
			}
		}
	}
	visit(analyzers)
	return found
}

// analyzers are the rules, errors first.
var analyzers = []*analysis.Analyzer{
	BypassedOverride, DoubleCount,
	NestedLimit,
	HiddenFile,
	MissingLength,
	ResponseWrapper,
	ConnWrapper,
	IgnoredBuffer,
	StalledStdout,
}

// UnusedIgnore reports comments that silence nothing, name no rule, or give no reason.
var UnusedIgnore = finding.UnusedIgnore(analyzers)
