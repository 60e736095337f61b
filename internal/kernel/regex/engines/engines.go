// Package engines measures regular expression engines for Go against the standard library, which
// defines what is right. It is a module of its own, so that an engine that was tried and rejected
// is not a dependency of thresh. ../ENGINES.md holds the findings; to repeat them:
//
//	go test -v -run Differential .
//	go test -run '^$' -bench . -benchtime 3x .
package engines

import (
	"regexp"

	"github.com/coregx/coregex"
	grafana "github.com/grafana/regexp"
	re2 "github.com/wasilibs/go-re2"
)

// Matcher is what thresh needs from an engine.
type Matcher interface {
	FindAllIndex(b []byte, n int) [][]int
}

// Engine is an engine under test. Wrong says whether it is known to give answers that differ from
// the standard library's.
type Engine struct {
	Name    string
	Wrong   bool
	Compile func(expr string) (Matcher, error)
}

// Engines returns the standard library first, then the engines measured against it.
func Engines() []Engine {
	return []Engine{
		{"std", false, func(expr string) (Matcher, error) { return regexp.Compile(expr) }},
		{"grafana", true, func(expr string) (Matcher, error) { return grafana.Compile(expr) }},
		{"go-re2", true, func(expr string) (Matcher, error) { return re2.Compile(expr) }},
		{"coregex", true, func(expr string) (Matcher, error) { return coregex.Compile(expr) }},
	}
}
