package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/thresh-dev/thresh/vet/internal/finding"
	"github.com/thresh-dev/thresh/vet/internal/flow"
	"github.com/thresh-dev/thresh/vet/internal/method"
)

// IgnoredBuffer reports buffers that are made for io.CopyBuffer and never used, because the source has a
// WriteTo or the destination a ReadFrom.
var IgnoredBuffer = finding.New(finding.Spec{
	Name:     "ignoredbuffer",
	Severity: finding.Warning,
	Short:    "a buffer is made for io.CopyBuffer, which does not use it",
	Doc: "io.CopyBuffer calls the WriteTo of the source or the ReadFrom of the destination if there is one, and uses\n" +
		"the buffer only if there is none. Files and TCP connections have both. Where a copy has to be made after\n" +
		"all, package net makes a buffer of its own. Call io.Copy; if the buffer matters, hide the method:\n" +
		"struct{ io.Reader }{src}.",
	Requires: []*analysis.Analyzer{flow.Analyzer},
	Run:      runIgnoredBuffer,
})

func runIgnoredBuffer(pass *analysis.Pass) error {
	p := pass.ResultOf[flow.Analyzer].(*flow.Program)
	ignored := map[ssa.Instruction]string{} // by the copy: what ignores its buffer
	for _, c := range p.Copies {
		if why := ignores(p, c); why != "" {
			ignored[c.Call] = why
		}
	}
	for _, c := range p.Copies {
		why := ignored[c.Call]
		if why == "" {
			continue
		}
		made := madeFor(c.Call.Common().Args[2], func(user ssa.Instruction) bool { return ignored[user] != "" })
		if call := callOf(pass, c.Call); made && call != nil {
			reportBuffer(pass, call, why)
		}
	}
	return nil
}

// ignores says why io.CopyBuffer does not use the buffer; "" if it may.
func ignores(p *flow.Program, c flow.Copy) string {
	if c.Func != "io.CopyBuffer" {
		return ""
	}
	if t := commonType(p.Values(c.Src), "WriteTo"); t != "" {
		return t + " has WriteTo"
	}
	if t := commonType(p.Values(c.Dst), "ReadFrom"); t != "" {
		return t + " has ReadFrom"
	}
	return ""
}

// commonType returns a type of the values if all their types are known and have the method.
func commonType(values []flow.Value, name string) string {
	for _, v := range values {
		selection := types.NewMethodSet(v.Type).Lookup(nil, name)
		if types.IsInterface(v.Type) || selection == nil {
			return ""
		}
		if f, ok := selection.Obj().(*types.Func); !ok || !method.Copies(f) {
			return ""
		}
	}
	return values[0].TypeName()
}

// madeFor reports whether buf is allocated, or taken from a sync.Pool, for such copies alone.
func madeFor(buf ssa.Value, isCopy func(ssa.Instruction) bool) bool {
	made := false
	uses := map[ssa.Value]bool{}
	var onlyCopied func(v ssa.Value) bool
	onlyCopied = func(v ssa.Value) bool {
		if uses[v] {
			return true
		}
		uses[v] = true
		for _, user := range *v.Referrers() {
			switch user := user.(type) {
			case *ssa.DebugRef:
			case *ssa.Slice, *ssa.MakeInterface, *ssa.TypeAssert, *ssa.UnOp:
				if !onlyCopied(user.(ssa.Value)) {
					return false
				}
			default:
				if !isCopy(user) && !isPut(user) {
					return false
				}
			}
		}
		return true
	}
	for v := buf; v != nil; {
		if v.Referrers() == nil || !onlyCopied(v) {
			return false
		}
		v, made = madeOf(v)
		if made {
			return onlyCopied(v)
		}
	}
	return false
}

// madeOf goes one step towards what allocates a buffer, and reports whether it is there. It returns nil if
// the buffer is from elsewhere.
func madeOf(v ssa.Value) (ssa.Value, bool) {
	switch v := v.(type) {
	case *ssa.MakeSlice, *ssa.Alloc:
		return v, true
	case *ssa.Slice:
		return v.X, isMade(v.X)
	case *ssa.TypeAssert:
		return v.X, isMade(v.X)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return v.X, isMade(v.X)
		}
	case *ssa.Call:
		return v, isMade(v)
	}
	return nil, false
}

// isMade reports whether v is an allocation or comes from a sync.Pool.
func isMade(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.MakeSlice, *ssa.Alloc:
		return true
	case *ssa.Call:
		callee := v.Call.StaticCallee()
		return callee != nil && callee.String() == "(*sync.Pool).Get"
	}
	return false
}

// isPut reports whether a call gives a buffer back to a sync.Pool.
func isPut(user ssa.Instruction) bool {
	call, ok := user.(ssa.CallInstruction)
	if !ok {
		return false
	}
	callee := call.Common().StaticCallee()
	return callee != nil && callee.String() == "(*sync.Pool).Put"
}

// reportBuffer reports a copy. The fix calls io.Copy, if the buffer is made in the argument.
func reportBuffer(pass *analysis.Pass, call *ast.CallExpr, why string) {
	d := analysis.Diagnostic{Pos: call.Pos(), End: call.End(),
		Message: "io.CopyBuffer does not use this buffer, because " + why + ": call io.Copy"}
	if edits := withoutBuffer(pass, call); edits != nil {
		d.SuggestedFixes = []analysis.SuggestedFix{{Message: "call io.Copy", TextEdits: edits}}
	}
	pass.Report(d)
}

// withoutBuffer returns the edits that make a call one of io.Copy; nil if more than that has to change.
func withoutBuffer(pass *analysis.Pass, call *ast.CallExpr) []analysis.TextEdit {
	if !isFunc(pass, call, "io.CopyBuffer") || len(call.Args) != 3 {
		return nil
	}
	if _, made := ast.Unparen(call.Args[2]).(*ast.CallExpr); !made {
		return nil
	}
	name := ast.Unparen(call.Fun).(*ast.SelectorExpr).Sel
	return []analysis.TextEdit{
		replace(name.Pos(), name.End(), "Copy"),
		replace(call.Args[1].End(), call.Args[2].End(), ""),
	}
}
