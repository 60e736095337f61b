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

// DoubleCount reports methods that add to a counter what an inner Write or Read has added already.
var DoubleCount = finding.New(finding.Spec{
	Name:     "doublecount",
	Severity: finding.Error,
	Short:    "ReadFrom, WriteTo or WriteString counts again what an inner Write or Read has counted",
	Doc: "A ReadFrom that copies through the type's own Write, as in io.Copy(struct{ io.Writer }{w}, r), or through " +
		"that of an embedded counting writer, and then adds the result to the same counter, counts every byte " +
		"twice. Add it on one of the two ways only.",
	Run: func(pass *analysis.Pass) error {
		c := counting{pass, pass.TypesInfo, method.Of(pass)}
		for _, m := range c.methods.Named("ReadFrom", method.ReadFrom) {
			c.check(m, "Write")
		}
		for _, m := range c.methods.Named("WriteTo", method.WriteTo) {
			c.check(m, "Read")
		}
		for _, m := range c.methods.Named("WriteString", method.WriteString) {
			c.check(m, "Write")
		}
		return nil
	},
})

// counting looks for what is counted twice. It is sure only if nothing but the number of bytes and the
// error decides about either addition.
type counting struct {
	pass    *analysis.Pass
	info    *types.Info
	methods *method.Set
}

// addition is a statement that adds a number to a counter.
type addition struct {
	at      ast.Stmt
	counter method.Path
	added   ast.Expr
	guards  []ast.Node
}

// transfer is a statement that moves bytes through a counted method and keeps their number.
type transfer struct {
	at      ast.Stmt
	call    *ast.CallExpr
	n       *types.Var
	holder  method.Path // of the value whose method is called
	counted *method.Method
	guards  []ast.Node
}

// check reports the additions in m to what the inner method counts.
func (c counting) check(m *method.Method, inner string) {
	if m.Recv == nil {
		return
	}
	adds := c.additions(m)
	if len(adds) == 0 {
		return
	}
	transfers := c.transfers(m, inner)
	for _, t := range transfers {
		for _, first := range c.additions(t.counted) {
			if !first.certain(c.info) || !c.isCount(t.counted, first) {
				continue
			}
			counter := t.holder.Join(first.counter)
			for _, again := range adds {
				if again.counter.Equal(counter) && c.adds(m, again, t) && !c.corrected(m, counter) {
					c.report(m, t, first, again)
				}
			}
		}
	}
}

func (c counting) report(m *method.Method, t transfer, first, again addition) {
	c.pass.Report(analysis.Diagnostic{
		Pos: again.at.Pos(), End: again.at.End(),
		Message: fmt.Sprintf("%s counts again what %s has counted: the bytes of this %s are added twice",
			m.Func.Name(), t.counted.Func.Name(), types.ExprString(t.call.Fun)),
		Related: []analysis.RelatedInformation{
			{Pos: t.call.Pos(), Message: "the copy"},
			{Pos: first.at.Pos(), Message: "the first count"},
		},
		SuggestedFixes: c.remove(m, again, t.n),
	})
}

// additions returns the statements of a method that add to something at its receiver.
func (c counting) additions(m *method.Method) (found []addition) {
	if m.Recv == nil {
		return nil
	}
	method.Walk(m.Decl.Body, func(s ast.Stmt, guards []ast.Node) {
		a, ok := c.addition(s)
		if ok && a.counter.Root == m.Recv && len(a.counter.Fields) > 0 {
			a.guards = guards
			found = append(found, a)
		}
	})
	return found
}

// addition returns what a statement adds: x.n += n, x.n = x.n + n, x.n.Add(n), atomic.AddInt64(&x.n, n).
func (c counting) addition(s ast.Stmt) (a addition, ok bool) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if len(s.Lhs) != 1 || len(s.Rhs) != 1 {
			return a, false
		}
		a = addition{at: s, added: s.Rhs[0]}
		if a.counter, ok = method.PathOf(c.info, s.Lhs[0]); !ok || s.Tok == token.ADD_ASSIGN {
			return a, ok
		}
		sum, isSum := ast.Unparen(s.Rhs[0]).(*ast.BinaryExpr)
		if s.Tok != token.ASSIGN || !isSum || sum.Op != token.ADD {
			return a, false
		}
		left, ok := method.PathOf(c.info, sum.X)
		a.added = sum.Y
		return a, ok && left.Equal(a.counter)
	case *ast.ExprStmt:
		call, isCall := s.X.(*ast.CallExpr)
		if !isCall {
			return a, false
		}
		switch shape.FullName(calleeOf(c.info, call)) {
		case "sync/atomic.AddInt64", "sync/atomic.AddUint64", "sync/atomic.AddInt32", "sync/atomic.AddUint32":
			a = addition{at: s, added: call.Args[1]}
			a.counter, ok = method.PathOf(c.info, call.Args[0])
		case "(*sync/atomic.Int64).Add", "(*sync/atomic.Uint64).Add", "(*sync/atomic.Int32).Add", "(*sync/atomic.Uint32).Add":
			a = addition{at: s, added: call.Args[0]}
			if sel, isSel := call.Fun.(*ast.SelectorExpr); isSel {
				a.counter, ok = method.Holder(c.info, sel)
			}
		}
		return a, ok
	}
	return a, false
}

// certain reports whether an addition is made whenever bytes are moved: only local variables decide.
func (a addition) certain(info *types.Info) bool { return onlyLocals(info, a.guards, a.counter.Root) }

// onlyLocals reports whether guards neither call anything nor mention the receiver.
func onlyLocals(info *types.Info, guards []ast.Node, recv *types.Var) bool {
	return !slices.ContainsFunc(guards, func(g ast.Node) bool {
		vars, calls := method.Variables(info, g)
		return calls || slices.ContainsFunc(vars, func(v *types.Var) bool { return v == recv || !local(v) })
	})
}

func local(v *types.Var) bool { return v.Pkg() != nil && v.Parent() != v.Pkg().Scope() }

// isCount reports whether the addition in a Read or Write adds the number of bytes that it moves: its
// result, what a call in it returns as that, or the length of its parameter.
func (c counting) isCount(m *method.Method, a addition) bool {
	e := unconvert(c.info, a.added)
	param := m.Func.Signature().Params().At(0)
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 1 && isBuiltin(c.info, call.Fun, "len") {
		return isUse(c.info, call.Args[0], param)
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	v, _ := c.info.Uses[id].(*types.Var)
	found := false
	method.Walk(m.Decl.Body, func(s ast.Stmt, _ []ast.Node) {
		assign, ok := s.(*ast.AssignStmt)
		if ok && len(assign.Lhs) == 2 && len(assign.Rhs) == 1 && defines(c.info, assign.Lhs[0], v) {
			call, ok := assign.Rhs[0].(*ast.CallExpr)
			found = found || ok && slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return isUse(c.info, e, param) })
		}
	})
	return found
}

func isBuiltin(info *types.Info, e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	_, builtin := info.Uses[id].(*types.Builtin)
	return builtin && id.Name == name
}

// defines reports whether e, on the left of an assignment, is v.
func defines(info *types.Info, e ast.Expr, v *types.Var) bool {
	id, ok := e.(*ast.Ident)
	return ok && v != nil && info.ObjectOf(id) == v
}

// unconvert returns what a conversion converts, e itself if it is none.
func unconvert(info *types.Info, e ast.Expr) ast.Expr {
	e = ast.Unparen(e)
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 1 && info.Types[call.Fun].IsType() {
		return unconvert(info, call.Args[0])
	}
	return e
}

func isUse(info *types.Info, e ast.Expr, v *types.Var) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && info.Uses[id] == v
}

// initOf returns the value that a local variable is defined with, nil if it gets others, or its address is taken.
func initOf(info *types.Info, body *ast.BlockStmt, v *types.Var) (value ast.Expr) {
	changed := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				changed = changed || isUse(info, left, v)
				if id, ok := left.(*ast.Ident); ok && info.Defs[id] == v && len(n.Lhs) == len(n.Rhs) {
					value = n.Rhs[i]
				}
			}
		case *ast.UnaryExpr:
			changed = changed || n.Op == token.AND && types.IsInterface(v.Type()) && isUse(info, n.X, v)
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if info.Defs[id] == v && len(n.Names) == len(n.Values) {
					value = n.Values[i]
				}
			}
		}
		return true
	})
	if changed {
		return nil
	}
	return value
}

func calleeOf(info *types.Info, call *ast.CallExpr) *types.Func {
	f, _ := typeutil.Callee(info, call).(*types.Func)
	return f
}
