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
	"github.com/thresh-dev/thresh/vet/internal/shape"
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
	if t := commonType(p.Values(c.Src), "WriteTo", "io.Writer"); t != "" {
		return t + " has WriteTo"
	}
	if t := commonType(p.Values(c.Dst), "ReadFrom", "io.Reader"); t != "" {
		return t + " has ReadFrom"
	}
	return ""
}

// commonType returns a type of the values if all their types are known and have the method.
func commonType(values []flow.Value, method, param string) string {
	for _, v := range values {
		if types.IsInterface(v.Type) || !hasTransfer(v.Type, method, param) {
			return ""
		}
	}
	return values[0].TypeName()
}

// hasTransfer reports whether t has the method of io.ReaderFrom or io.WriterTo, and not another of that
// name, as a *net.UnixConn has.
func hasTransfer(t types.Type, method, param string) bool {
	selection := types.NewMethodSet(t).Lookup(nil, method)
	if selection == nil {
		return false
	}
	sig, ok := selection.Type().(*types.Signature)
	return ok && sig.Params().Len() == 1 && sig.Results().Len() == 2 && shape.Is(sig.Params().At(0).Type(), param)
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

// reportBuffer reports a copy. The fix calls io.Copy, if the buffer is made in the argument or by a statement
// that has no other use.
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
	name := ast.Unparen(call.Fun).(*ast.SelectorExpr).Sel
	edits := []analysis.TextEdit{
		replace(name.Pos(), name.End(), "Copy"),
		replace(call.Args[1].End(), call.Args[2].End(), ""),
	}
	switch buf := ast.Unparen(call.Args[2]).(type) {
	case *ast.CallExpr:
		return edits
	case *ast.Ident:
		def := definition(pass, buf)
		if def == nil {
			return nil
		}
		return append(edits, *def)
	}
	return nil
}

// definition returns the edit that removes the statement buf := make(…), if the variable is used once.
func definition(pass *analysis.Pass, use *ast.Ident) *analysis.TextEdit {
	obj := pass.TypesInfo.Uses[use]
	if obj == nil {
		return nil
	}
	for id, used := range pass.TypesInfo.Uses {
		if used == obj && id != use {
			return nil
		}
	}
	path := pathTo(pass, obj.Pos())
	i := slices.IndexFunc(path, func(n ast.Node) bool { _, ok := n.(*ast.AssignStmt); return ok })
	if i < 0 || i+1 >= len(path) {
		return nil
	}
	assign := path[i].(*ast.AssignStmt)
	_, inBlock := path[i+1].(*ast.BlockStmt)
	if !inBlock || len(assign.Lhs) != 1 || !isMake(pass, assign.Rhs[0]) {
		return nil
	}
	edit := wholeLine(pass, assign)
	return &edit
}

// isMake reports whether e calls the built-in make with a size that calls nothing.
func isMake(pass *analysis.Pass, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || pass.TypesInfo.Uses[id] != types.Universe.Lookup("make") {
		return false
	}
	return !slices.ContainsFunc(call.Args[1:], func(size ast.Expr) bool { return pass.TypesInfo.Types[size].Value == nil })
}

// wholeLine is the edit that removes a statement, with its line if nothing else stands there.
func wholeLine(pass *analysis.Pass, n ast.Node) analysis.TextEdit {
	file := pass.Fset.File(n.Pos())
	first, last := file.Line(n.Pos()), file.Line(n.End())
	from, to := n.Pos(), n.End()
	if last < file.LineCount() && !shared(pass, n, first, last) {
		from, to = file.LineStart(first), file.LineStart(last+1)
	}
	return replace(from, to, "")
}

// shared reports whether a comment or another statement stands on the lines of n.
func shared(pass *analysis.Pass, n ast.Node, first, last int) bool {
	found := false
	file := finding.FileOf(pass, n.Pos())
	on := func(p token.Pos) bool {
		line := pass.Fset.File(p).Line(p)
		return first <= line && line <= last
	}
	for _, group := range file.Comments {
		found = found || on(group.Pos()) || on(group.End())
	}
	ast.Inspect(file, func(other ast.Node) bool {
		if stmt, ok := other.(ast.Stmt); ok && (stmt.Pos() < n.Pos() || stmt.Pos() >= n.End()) {
			found = found || on(stmt.Pos()) || on(stmt.End())
		}
		return other != n
	})
	return found
}
