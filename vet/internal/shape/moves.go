package shape

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// moves says what a Read or Write method does with its bytes: it follows the parameter, and all local
// variables that hold it or a part of it, and looks at each place that uses one. Bytes may go to the same
// method of the inner value, their number may be asked for, and nothing else may be done with them.
func (b *body) moves() Method {
	u := b.follow(0, b.decl.Name.Name, 0)
	switch {
	case u.changes:
		return Transforms
	case u.unclear:
		return Opaque
	case len(u.forwards) == 0:
		return Transforms
	}
	return Forwards
}

// usage is what a method does with bytes.
type usage struct {
	forwards []ast.Node // calls that hand them to the inner value
	changes  bool       // they are looked at, kept, changed, dropped or sent elsewhere
	unclear  bool       // they go to a function that isn't known
}

// follow follows the bytes in a parameter of a method. They may be forwarded to the inner method of that name.
func (b *body) follow(param int, name string, depth int) usage {
	var u usage
	params := b.parameters()
	if param >= len(params) || params[param] == nil || depth > helpersMax {
		return usage{unclear: depth > helpersMax}
	}
	data := b.aliases(params[param], &u)
	var stack []ast.Node
	ast.Inspect(b.decl.Body, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		if id, ok := n.(*ast.Ident); ok && data[b.p.info.Uses[id]] {
			b.use(&u, stack, data, name, depth)
		}
		return true
	})
	if len(u.forwards) > 0 && b.drops(data, u.forwards) {
		u.changes = true
	}
	return u
}

// aliases returns v and the variables that hold the same bytes, or a part of them.
func (b *body) aliases(v types.Object, u *usage) map[types.Object]bool {
	data := map[types.Object]bool{v: true}
	for grown := true; grown; {
		grown = false
		for to, values := range b.vars {
			for _, e := range values {
				if e != nil && !data[to] && b.holds(e, data) {
					data[to], grown = true, true
				}
			}
		}
	}
	for to := range data {
		for _, e := range b.vars[to] {
			if e == nil || !b.holds(e, data) {
				u.changes = true // other bytes take their place
			}
		}
	}
	return data
}

// holds reports whether e is one of the variables, or a slice of one.
func (b *body) holds(e ast.Expr, data map[types.Object]bool) bool {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.Ident:
			return data[b.p.info.ObjectOf(x)]
		default:
			return false
		}
	}
}

// use judges one use of the bytes, the end of the stack.
func (b *body) use(u *usage, stack []ast.Node, data map[types.Object]bool, name string, depth int) {
	i := len(stack) - 1
	e := stack[i]
	for i--; i >= 0; i-- {
		if s, ok := stack[i].(*ast.SliceExpr); ok && s.X == e {
			e = s
		} else if s, ok := stack[i].(*ast.ParenExpr); ok {
			e = s
		} else {
			break
		}
	}
	switch n := stack[i].(type) {
	case *ast.CallExpr:
		if slices.ContainsFunc(stack[:i], isGo) {
			u.unclear = true
			return
		}
		b.passed(u, n, slices.Index(n.Args, e.(ast.Expr)), name, depth)
	case *ast.AssignStmt:
		for k, l := range n.Lhs {
			if id, ok := l.(*ast.Ident); len(n.Rhs) == len(n.Lhs) && n.Rhs[k] == e &&
				(!ok || id.Name != "_" && !data[b.p.info.ObjectOf(id)]) {
				u.changes = true // kept in a field
			}
		}
	case *ast.BinaryExpr, *ast.ValueSpec:
	default:
		u.changes = true
	}
}

func isGo(n ast.Node) bool {
	_, ok := n.(*ast.GoStmt)
	return ok
}

// passed judges a call that gets the bytes as an argument.
func (b *body) passed(u *usage, call *ast.CallExpr, arg int, name string, depth int) {
	if tv := b.p.info.Types[call.Fun]; tv.IsType() {
		u.changes = true // string(p): somebody looks at them
		return
	} else if tv.IsBuiltin() {
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); !ok || id.Name != "len" && id.Name != "cap" {
			u.changes = true // copy, append
		}
		return
	}
	f, on := b.callee(call)
	switch {
	case FullName(f) == "net/http.DetectContentType": // as net/http itself does
	case f == nil || arg < 0:
		u.unclear = true
	case b.helper(call) != nil && f.Name() != name:
		helper := newBody(b.p, b.helper(call), b.inner)
		inside := helper.follow(arg, name, depth+1)
		u.changes = u.changes || inside.changes
		u.unclear = u.unclear || inside.unclear
		if len(inside.forwards) > 0 {
			u.forwards = append(u.forwards, call)
		}
	case f.Name() == name && on != nil && b.owner(call) == b.inner:
		u.forwards = append(u.forwards, call)
	case on != nil && (f.Name() == "Write" || f.Name() == "Read"):
		u.changes = true
	default:
		u.unclear = true
	}
}

// drops reports whether the method may say that it has taken the bytes although no call forwarded them: it
// returns len(p) and no error, and no forwarding call is sure to come before.
func (b *body) drops(data map[types.Object]bool, forwards []ast.Node) (dropped bool) {
	var stack []ast.Node
	ast.Inspect(b.decl.Body, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		if r, ok := n.(*ast.ReturnStmt); ok && b.claims(r, data) && !forwardedBefore(stack, forwards) {
			dropped = true
		}
		return true
	})
	return dropped
}

// claims reports whether r returns the length of the bytes and no error.
func (b *body) claims(r *ast.ReturnStmt, data map[types.Object]bool) bool {
	if len(r.Results) != 2 || !b.p.info.Types[r.Results[1]].IsNil() {
		return false
	}
	call, ok := ast.Unparen(r.Results[0]).(*ast.CallExpr)
	return ok && len(call.Args) == 1 && b.p.info.Types[call.Fun].IsBuiltin() && b.holds(call.Args[0], data)
}

// forwardedBefore reports whether one of the calls comes before the end of the stack in one of the blocks
// around it, and not only in a branch that returns.
func forwardedBefore(stack []ast.Node, forwards []ast.Node) bool {
	for i, n := range stack[:len(stack)-1] {
		for _, s := range statements(n) {
			if s == stack[i+1] {
				break
			}
			for _, f := range forwards {
				if s.Pos() <= f.Pos() && f.End() <= s.End() && !returnsAfter(s, f) {
					return true
				}
			}
		}
	}
	return false
}

// statements returns the statements of a block or of a case.
func statements(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// returnsAfter reports whether f lies in a branch of s that returns.
func returnsAfter(s ast.Stmt, f ast.Node) (returns bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		if n == nil || n.Pos() > f.Pos() || f.End() > n.End() {
			return false
		}
		list := statements(n)
		if len(list) > 0 {
			switch last := list[len(list)-1].(type) {
			case *ast.ReturnStmt:
				returns = true
			case *ast.BranchStmt:
				returns = last.Tok == token.GOTO
			}
		}
		return true
	})
	return returns
}
