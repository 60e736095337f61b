package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/thresh-dev/thresh/vet/internal/finding"
	"github.com/thresh-dev/thresh/vet/internal/flow"
	"github.com/thresh-dev/thresh/vet/internal/method"
)

// NestedLimit reports limits around what is limited already. Packages net, os and net/http look through
// one io.LimitedReader for the file or connection inside, and not through two. The second one is often
// not seen: http.ServeContent and io.CopyN hand a limited reader to the ReadFrom of a response.
var NestedLimit = finding.New(finding.Spec{
	Name:     "nestedlimit",
	Severity: finding.Warning,
	Short:    "a limit around an io.LimitedReader hides the file or connection inside",
	Doc: "Packages net, os and net/http look through one io.LimitedReader, and not through two: a file behind two\n" +
		"limits is copied through memory. http.ServeContent and io.CopyN pass a limited reader to ReadFrom, so a\n" +
		"ReadFrom that calls io.LimitReader or io.CopyN on its argument nests two limits as well. Limit the R of\n" +
		"the io.LimitedReader instead, and lower its N by what was copied.",
	Requires: []*analysis.Analyzer{flow.Analyzer},
	Run:      runNestedLimit,
})

// limit is a limit that arrives at a copy.
type limit struct {
	pos    token.Pos   // of the call or literal that makes it
	of     []ssa.Value // what it limits, as it is written
	inside []flow.Value
}

func runNestedLimit(pass *analysis.Pass) error {
	p := pass.ResultOf[flow.Analyzer].(*flow.Program)
	reported := map[token.Pos]bool{}
	for _, c := range p.Copies {
		for _, pair := range p.Pairs(c) {
			for _, l := range limitsOf(p, c, pair.Src) {
				what, path := nested(p, pair.Dst, l)
				if path == "" || reported[l.pos] {
					continue
				}
				reported[l.pos] = true
				reportNested(pass, l, what, path)
			}
		}
	}
	return nil
}

// limitsOf returns the outermost limits of a copy of src that this package makes.
func limitsOf(p *flow.Program, c flow.Copy, src []flow.Value) []limit {
	if c.Func == "io.CopyN" {
		return []limit{{c.Call.Common().Pos(), []ssa.Value{c.Src}, src}}
	}
	var found []limit
	for _, v := range src {
		if !isLimited(v.Type) {
			continue
		}
		switch at := v.At.(type) {
		case *ssa.Call:
			if callee := at.Call.StaticCallee(); callee != nil && callee.String() == "io.LimitReader" {
				found = append(found, limit{at.Pos(), at.Call.Args[:1], p.Inner(v, "")})
			}
		case *ssa.Alloc:
			found = append(found, limit{at.Pos(), limitedBy(at), p.Inner(v, "")})
		}
	}
	return found
}

// limitedBy returns what is stored to the R of an io.LimitedReader.
func limitedBy(alloc *ssa.Alloc) []ssa.Value {
	var found []ssa.Value
	for _, user := range *alloc.Referrers() {
		r, ok := user.(*ssa.FieldAddr)
		if !ok || r.Field != 0 {
			continue
		}
		for _, user := range *r.Referrers() {
			if store, ok := user.(*ssa.Store); ok && store.Addr == r {
				found = append(found, store.Val)
			}
		}
	}
	return found
}

// What a nested limit is around.
const (
	aroundLimit = "an io.LimitedReader"
	aroundParam = "the reader of ReadFrom"
)

// nested says what a limit is around, and what is lost by that: sendfile, splice or copy_file_range, ""
// if nothing is, or it can't be told.
func nested(p *flow.Program, dst []flow.Value, l limit) (what, path string) {
	if slices.ContainsFunc(l.of, isUnwrapped) || slices.ContainsFunc(l.of, isAsserted) {
		return "", ""
	}
	toConn, toFile := sends(p, dst), storesTo(p, dst)
	for _, v := range l.inside {
		param := readFromParam(v.At)
		switch {
		case param != nil && toConn && !isAsserted(param):
			return aroundParam, "sendfile"
		case !isLimited(v.Type):
			continue
		}
		path := lost(p, p.Inner(v, ""))
		switch {
		case toConn && path != "":
			return aroundLimit, path
		case toFile && path == "sendfile":
			return aroundLimit, "copy_file_range"
		case toFile && path == "splice":
			return aroundLimit, path
		}
	}
	return "", ""
}

// isUnwrapped reports whether v is the R of an io.LimitedReader: then the limit around it is not nested,
// whatever else may be known of that field.
func isUnwrapped(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	field, ok := load.X.(*ssa.FieldAddr)
	return ok && isLimited(field.X.Type())
}

// readFromParam returns the parameter of a method ReadFrom(io.Reader) that v is, also through an
// assertion of its type; nil if it is none.
func readFromParam(v ssa.Value) *ssa.Parameter {
	switch a := v.(type) {
	case *ssa.Extract:
		v = a.Tuple
	}
	if a, ok := v.(*ssa.TypeAssert); ok {
		v = a.X
	}
	param, ok := v.(*ssa.Parameter)
	if !ok {
		return nil
	}
	if f, ok := param.Parent().Object().(*types.Func); !ok || f.Name() != "ReadFrom" || !method.Copies(f) {
		return nil
	}
	return param
}

// isAsserted reports whether a function asks if v is an *io.LimitedReader, as one does that slices the
// limit it gets, or adds one only where there is none.
func isAsserted(v ssa.Value) bool {
	same := []ssa.Value{v}
	switch v := v.(type) {
	case *ssa.Phi:
		same = append(same, v.Edges...)
	case *ssa.UnOp: // of a variable that a closure shares: all that is read from it
		if users := v.X.Referrers(); users != nil {
			for _, user := range *users {
				if load, ok := user.(*ssa.UnOp); ok {
					same = append(same, load)
				}
			}
		}
	}
	return slices.ContainsFunc(same, func(v ssa.Value) bool {
		users := v.Referrers()
		return users != nil && slices.ContainsFunc(*users, func(user ssa.Instruction) bool {
			a, ok := user.(*ssa.TypeAssert)
			return ok && isLimited(a.AssertedType)
		})
	})
}

func reportNested(pass *analysis.Pass, l limit, what, path string) {
	expr, around := exprAt(pass, l.pos)
	if expr == nil {
		return
	}
	name := aroundLimit
	if call, ok := expr.(*ast.CallExpr); ok {
		name = "io." + call.Fun.(*ast.SelectorExpr).Sel.Name
	}
	mend := "use the smaller of both around what is inside"
	if what == aroundParam {
		mend = "pass a new *io.LimitedReader around its R"
	}
	d := analysis.Diagnostic{
		Pos: expr.Pos(), End: expr.End(),
		Message: name + " around " + what + " nests two limits, and " + path + " is lost: " + mend,
	}
	if fix := fixNested(pass, expr, around); fix != nil {
		d.SuggestedFixes = []analysis.SuggestedFix{*fix}
	}
	pass.Report(d)
}
