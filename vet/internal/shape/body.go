package shape

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// body is a method of a wrapper, seen from the field that holds the inner value.
type body struct {
	p     *pkg
	decl  *ast.FuncDecl
	inner int                         // index of the field
	recv  types.Object                // nil if it has no name
	vars  map[types.Object][]ast.Expr // what is assigned to each local variable
	depth int                         // of helper methods
	busy  map[types.Object]bool       // variables whose origin is being looked for
}

// The places that a value of a method may come from, beside the indices of the receiver's fields.
const (
	elsewhere = -1
	itself    = -2 // the receiver
	unknown   = -3 // wherever the variable comes from that is being looked at
)

// helpersMax bounds how far helper methods are followed.
const helpersMax = 3

func newBody(p *pkg, decl *ast.FuncDecl, inner int) *body {
	b := &body{p: p, decl: decl, inner: inner, vars: map[types.Object][]ast.Expr{},
		busy: map[types.Object]bool{}}
	if names := decl.Recv.List[0].Names; len(names) == 1 {
		b.recv = p.info.Defs[names[0]]
	}
	ast.Inspect(decl.Body, b.collect)
	return b
}

// collect records what n assigns to variables.
func (b *body) collect(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, l := range n.Lhs {
			switch {
			case len(n.Rhs) == len(n.Lhs):
				b.assign(l, n.Rhs[i])
			case i == 0: // x, ok := y.(T), or the first result of a call
				b.assign(l, n.Rhs[0])
			default:
				b.assign(l, nil)
			}
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if i < len(n.Values) {
				b.assign(name, n.Values[i])
			}
		}
	case *ast.TypeSwitchStmt:
		if a, ok := n.Assign.(*ast.AssignStmt); ok {
			for _, clause := range n.Body.List {
				if v := b.p.info.Implicits[clause]; v != nil {
					b.vars[v] = append(b.vars[v], a.Rhs[0].(*ast.TypeAssertExpr).X)
				}
			}
		}
	case *ast.RangeStmt:
		for _, e := range []ast.Expr{n.Key, n.Value} {
			if e != nil {
				b.assign(e, nil)
			}
		}
	}
	return true
}

func (b *body) assign(to, value ast.Expr) {
	if id, ok := ast.Unparen(to).(*ast.Ident); ok {
		if v := b.p.info.ObjectOf(id); v != nil {
			b.vars[v] = append(b.vars[v], value)
		}
	}
}

// origin returns the index of the receiver's field that e comes from, itself if it is the receiver, or
// elsewhere. It looks through assertions, conversions, local variables and methods that return a field.
func (b *body) origin(e ast.Expr) int { return b.originAt(e, 0) }

func (b *body) originAt(e ast.Expr, depth int) int {
	if e == nil || depth > 8 {
		return elsewhere
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return b.variable(e, depth)
	case *ast.SelectorExpr:
		s := b.p.info.Selections[e]
		if s == nil || s.Kind() != types.FieldVal {
			return elsewhere
		}
		if from := b.originAt(e.X, depth+1); from != itself {
			return from
		}
		return s.Index()[0]
	case *ast.TypeAssertExpr:
		return b.originAt(e.X, depth+1)
	case *ast.StarExpr:
		return b.originAt(e.X, depth+1)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return b.originAt(e.X, depth+1)
		}
	case *ast.CallExpr:
		return b.call(e, depth)
	}
	return elsewhere
}

// variable is the origin of a variable: that of all that is assigned to it, if it is the same.
func (b *body) variable(id *ast.Ident, depth int) int {
	v := b.p.info.ObjectOf(id)
	if v == nil {
		return elsewhere
	}
	if v == b.recv {
		return itself
	}
	if b.busy[v] {
		return unknown
	}
	b.busy[v] = true
	defer delete(b.busy, v)
	from := unknown
	for _, e := range b.vars[v] {
		switch next := b.originAt(e, depth+1); {
		case from == unknown:
			from = next
		case next != unknown && next != from:
			return elsewhere
		}
	}
	if from == unknown {
		return elsewhere
	}
	return from
}

// call is the origin of the result of a call: a conversion, or a method of the receiver that returns a field.
func (b *body) call(e *ast.CallExpr, depth int) int {
	if tv := b.p.info.Types[e.Fun]; tv.IsType() && len(e.Args) == 1 {
		return b.originAt(e.Args[0], depth+1)
	}
	decl := b.helper(e)
	if decl == nil || len(e.Args) > 0 {
		return elsewhere
	}
	getter := newBody(b.p, decl, b.inner)
	from := unknown
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			at := elsewhere
			if len(n.Results) == 1 {
				at = getter.originAt(n.Results[0], depth+1)
			}
			if from != unknown && from != at {
				at = elsewhere // it returns one field or another
			}
			from = at
		}
		return true
	})
	if from == unknown {
		return elsewhere
	}
	return from
}

// helper returns the declaration of the method of the receiver that e calls, nil if it calls another
// function. A promoted method is not the receiver's.
func (b *body) helper(e *ast.CallExpr) *ast.FuncDecl {
	sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	if !ok || b.recv == nil {
		return nil
	}
	s := b.p.info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal || len(s.Index()) != 1 || b.origin(sel.X) != itself {
		return nil
	}
	decl := b.p.decls[s.Obj().(*types.Func).Origin()]
	if decl == nil || len(decl.Body.List) == 0 {
		return nil
	}
	return decl
}

// callee returns the function or method that a call calls, and what a method is called on.
func (b *body) callee(e *ast.CallExpr) (f *types.Func, on ast.Expr) {
	f, _ = typeutil.Callee(b.p.info, e).(*types.Func)
	if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && b.p.info.Selections[sel] != nil {
		on = sel.X
	}
	return f, on
}

// owner returns the field that a method is called on: for one that is promoted through an embedded
// field, that field.
func (b *body) owner(e *ast.CallExpr) int {
	sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	if !ok {
		return elsewhere
	}
	from := b.origin(sel.X)
	if s := b.p.info.Selections[sel]; s != nil && from == itself && len(s.Index()) > 1 {
		return s.Index()[0]
	}
	return from
}

// parameters returns the parameters of the method, by position; nil for one without a name.
func (b *body) parameters() (list []types.Object) {
	for _, field := range b.decl.Type.Params.List {
		for _, name := range field.Names {
			list = append(list, b.p.info.Defs[name])
		}
		if len(field.Names) == 0 {
			list = append(list, nil)
		}
	}
	return list
}
