package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/thresh-dev/thresh/vet/internal/finding"
	"github.com/thresh-dev/thresh/vet/internal/method"
	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// RecursiveForward reports ReadFrom and WriteTo methods that call themselves through io.Copy.
var RecursiveForward = finding.New(finding.Spec{
	Name:     "recursiveforward",
	Severity: finding.Error,
	Short:    "ReadFrom or WriteTo copies to or from its own receiver, and never returns",
	Doc: "io.Copy calls WriteTo of its source, or else ReadFrom of its destination. A ReadFrom that calls io.Copy " +
		"with its own receiver as the destination, or a WriteTo that does so with the source, calls itself until " +
		"the stack is full. Hide the method: io.Copy(struct{ io.Writer }{w}, r).",
	Run: func(pass *analysis.Pass) error {
		methods := method.Of(pass)
		for _, m := range methods.Named("ReadFrom", method.ReadFrom) {
			reportRecursion(pass, methods, m)
		}
		for _, m := range methods.Named("WriteTo", method.WriteTo) {
			reportRecursion(pass, methods, m)
		}
		return nil
	},
})

// helperDepthMax bounds the calls that are followed from ReadFrom to the copy.
const helperDepthMax = 3

// recursion looks for the copy with which a method calls itself. It is sure of a copy only if nothing
// that decides about reaching it can be different in the next call.
type recursion struct {
	pass    *analysis.Pass
	methods *method.Set
	forward *method.Method // the ReadFrom or WriteTo
	depth   int
}

func reportRecursion(pass *analysis.Pass, methods *method.Set, m *method.Method) {
	if m.Recv == nil {
		return
	}
	param := m.Func.Signature().Params().At(0)
	r := recursion{pass, methods, m, 0}
	r.method(m, param, unchanged{m.Recv: true, param: true})
}

// method looks for copies in a method whose receiver is that of the forward. param is the variable that
// holds the other end.
func (r recursion) method(m *method.Method, param *types.Var, same unchanged) {
	info := r.pass.TypesInfo
	method.Walk(m.Decl.Body, func(s ast.Stmt, guards []ast.Node) {
		inspectCalls(s, func(call *ast.CallExpr) {
			if !slices.ContainsFunc(guards, func(g ast.Node) bool { return !same.decides(info, g) }) {
				r.call(place{m, param, same}, call, guards)
			}
		})
		same.note(info, s)
	})
}

// unchanged has the variables that lead to the same values in each call of the forward.
type unchanged map[*types.Var]bool

// decides reports whether an expression has the same value in each call.
func (same unchanged) decides(info *types.Info, e ast.Node) bool {
	vars, calls := method.Variables(info, e)
	return !calls && !slices.ContainsFunc(vars, func(v *types.Var) bool { return !same[v] })
}

// note records what a statement defines and changes, for those that may be reached after it.
func (same unchanged) note(info *types.Info, s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return
	case *ast.AssignStmt:
		fixed := true
		for _, e := range s.Rhs {
			fixed = fixed && same.decides(info, e)
		}
		for _, e := range s.Lhs {
			if id, ok := e.(*ast.Ident); ok && info.Defs[id] != nil {
				v, _ := info.Defs[id].(*types.Var)
				same[v] = fixed
			} else {
				same.forget(info, e)
			}
		}
	case *ast.IncDecStmt:
		same.forget(info, s.X)
	}
	// A call may change whatever its arguments and its receiver lead to.
	inspectCalls(s, func(call *ast.CallExpr) { same.forget(info, call) })
}

// forget takes the variables of an expression out.
func (same unchanged) forget(info *types.Info, e ast.Expr) {
	vars, _ := method.Variables(info, e)
	for _, v := range vars {
		same[v] = false
	}
}

// inspectCalls calls visit for each call of a statement that the statement itself makes.
func inspectCalls(s ast.Stmt, visit func(*ast.CallExpr)) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt:
			return false
		case *ast.CallExpr:
			visit(n)
		}
		return true
	})
}

// place is a method of the receiver, the variable in it that holds the other end, and what is known.
type place struct {
	in    *method.Method
	param *types.Var
	same  unchanged
}

// call reports a call that copies with the receiver, or looks into a method of the receiver.
func (r recursion) call(at place, call *ast.CallExpr, guards []ast.Node) {
	info := r.pass.TypesInfo
	f := calleeOf(info, call)
	name := shape.FullName(f)
	switch name {
	case "io.Copy", "io.CopyBuffer", "io.CopyN":
	default:
		r.helper(at, call, f)
		return
	}
	if len(call.Args) < 2 {
		return // the arguments are the results of one call
	}
	own, other, end := call.Args[0], call.Args[1], "Writer"
	if r.forward.Func.Name() == "WriteTo" {
		own, other, end = other, own, "Reader"
		if name == "io.CopyN" {
			return // the limit hides WriteTo
		}
	} else if writesItself(info.TypeOf(other)) {
		return // its WriteTo is called
	}
	// A guard may be about the other end, which must then be the same in the next call.
	about := slices.ContainsFunc(guards, func(g ast.Node) bool {
		vars, _ := method.Variables(info, g)
		return slices.ContainsFunc(vars, func(v *types.Var) bool { return v != at.in.Recv })
	})
	if p, ok := method.PathOf(info, other); about && (!ok || !p.Equal(method.Path{Root: at.param}) || name == "io.CopyN") {
		return
	}
	recv := r.receiver(at.in, own)
	if recv == nil {
		return
	}
	r.pass.Report(analysis.Diagnostic{
		Pos: call.Pos(), End: call.End(),
		Message: fmt.Sprintf("%s calls the %s that calls it, until the stack is full: hide the method, struct{ io.%s }{%s}",
			name, r.forward.Func.Name(), end, types.ExprString(recv)),
		SuggestedFixes: r.hide(recv, end),
	})
}

// writesItself reports whether a source has WriteTo, by its type.
func writesItself(t types.Type) bool {
	if t == nil {
		return false
	}
	f := method.Lookup(t, nil, "WriteTo")
	return f != nil && method.WriteTo(f.Signature())
}

// receiver returns the expression in e that is the receiver, with its method, after all; nil if e is
// something else, or hides the method.
func (r recursion) receiver(m *method.Method, e ast.Expr) ast.Expr {
	info := r.pass.TypesInfo
	e = ast.Unparen(e)
	if call, ok := e.(*ast.CallExpr); ok {
		switch shape.FullName(calleeOf(info, call)) {
		case "bufio.NewReader", "bufio.NewReaderSize", "bufio.NewWriter", "bufio.NewWriterSize":
			return r.receiver(m, call.Args[0]) // while it is empty, it calls the method of what is inside
		}
		if t := info.Types[call.Fun]; t.IsType() && len(call.Args) == 1 && types.IsInterface(t.Type) {
			return r.receiver(m, call.Args[0])
		}
		return nil
	}
	if star, ok := e.(*ast.StarExpr); ok && !r.has(info.TypeOf(star)) {
		return nil
	}
	p, ok := method.PathOf(info, e)
	switch {
	case !ok || len(p.Fields) > 0:
		return nil
	case p.Root == m.Recv:
		if !r.has(info.TypeOf(e)) || reassigned(info, m.Decl.Body, m.Recv) {
			return nil
		}
		return e
	}
	if init := initOf(info, m.Decl.Body, p.Root); init != nil && r.receiver(m, init) != nil {
		return e
	}
	return nil
}

// has reports whether a value of type t has the forward as its method.
func (r recursion) has(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, false, r.forward.Func.Pkg(), r.forward.Func.Name())
	f, ok := obj.(*types.Func)
	return ok && f.Origin() == r.forward.Func
}

// reassigned reports whether a variable gets a value after its definition, or its address is taken.
func reassigned(info *types.Info, body *ast.BlockStmt, v *types.Var) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return isUse(info, e, v) })
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && types.IsInterface(v.Type()) && isUse(info, n.X, v)
		}
		return !found
	})
	return found
}

func isUse(info *types.Info, e ast.Expr, v *types.Var) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && info.Uses[id] == v
}

// initOf returns the value that a local variable is defined with, nil if it gets others.
func initOf(info *types.Info, body *ast.BlockStmt, v *types.Var) (value ast.Expr) {
	if reassigned(info, body, v) {
		return nil
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if id, ok := left.(*ast.Ident); ok && info.Defs[id] == v && len(n.Lhs) == len(n.Rhs) {
					value = n.Rhs[i]
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if info.Defs[id] == v && len(n.Names) == len(n.Values) {
					value = n.Values[i]
				}
			}
		}
		return value == nil
	})
	return value
}

// helper looks into a method of the receiver that gets the other end as an argument.
func (r recursion) helper(at place, call *ast.CallExpr, f *types.Func) {
	info := r.pass.TypesInfo
	to := r.methods.Decl(f)
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if to == nil || !ok || to == r.forward || to.Recv == nil || f.Signature().Variadic() || r.depth == helperDepthMax {
		return
	}
	holder, ok := method.Holder(info, sel)
	if !ok || !holder.Equal(method.Path{Root: at.in.Recv}) {
		return
	}
	for i, arg := range call.Args {
		if p, ok := method.PathOf(info, arg); ok && p.Equal(method.Path{Root: at.param}) {
			next, param := r, to.Func.Signature().Params().At(i)
			next.depth++
			next.method(to, param, unchanged{to.Recv: at.same[at.in.Recv], param: at.same[at.param]})
			return
		}
	}
}

// hide returns the fix that hides the method of the receiver.
func (r recursion) hide(at ast.Expr, end string) []analysis.SuggestedFix {
	pkg, edits := finding.Import(r.pass, at.Pos(), "io")
	edits = append(edits,
		analysis.TextEdit{Pos: at.Pos(), End: at.Pos(), NewText: []byte("struct{ " + pkg + "." + end + " }{")},
		analysis.TextEdit{Pos: at.End(), End: at.End(), NewText: []byte("}")})
	return []analysis.SuggestedFix{{Message: "Hide the method", TextEdits: edits}}
}

func calleeOf(info *types.Info, call *ast.CallExpr) *types.Func {
	f, _ := typeutil.Callee(info, call).(*types.Func)
	return f
}
