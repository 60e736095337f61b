package shape

import (
	"go/ast"
	"go/types"
	"slices"
)

// readsFrom says what a ReadFrom method does: it forwards if it calls ReadFrom of the inner value, or
// copies to that, with the reader that it got, limited or not.
func (b *body) readsFrom() Method {
	return b.judge(func(call *ast.CallExpr, f *types.Func, on ast.Expr) Method {
		switch name := FullName(f); {
		case f.Name() == "ReadFrom" && on != nil && len(call.Args) == 1:
			return b.path(b.owner(call), call.Args[0])
		case isCopy(name):
			return b.path(b.origin(call.Args[0]), call.Args[1])
		case f.Name() == "Write" && on != nil:
			return Loops
		}
		return Absent
	})
}

// writesTo says what a WriteTo method does: it forwards if it calls WriteTo of the inner value, or copies
// from that, to the writer that it got.
func (b *body) writesTo() Method {
	return b.judge(func(call *ast.CallExpr, f *types.Func, on ast.Expr) Method {
		switch name := FullName(f); {
		case f.Name() == "WriteTo" && on != nil && len(call.Args) == 1:
			return b.path(b.owner(call), call.Args[0])
		case isCopy(name):
			return b.path(b.origin(call.Args[1]), call.Args[0])
		case f.Name() == "ReadFrom" && on != nil && len(call.Args) == 1:
			return b.path(b.origin(call.Args[0]), on)
		case f.Name() == "Read" && on != nil:
			return Loops
		}
		return Absent
	})
}

// path says what a copy does whose one end comes from the field at, and whose other end is the
// expression other.
func (b *body) path(at int, other ast.Expr) Method {
	switch {
	case at == b.inner && !b.hides(other):
		return Forwards
	case at >= 0 && at != b.inner:
		return Transforms
	}
	return Loops
}

// isCopy reports whether name is a function that copies from its second argument to its first.
func isCopy(name string) bool {
	return slices.Contains([]string{"io.Copy", "io.CopyN", "io.CopyBuffer"}, name)
}

// hides reports whether e is a reader or writer made here that hides what is inside. A limit does not.
func (b *body) hides(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return b.hides(e.X)
	case *ast.CompositeLit:
		return !Is(b.p.info.TypeOf(e), "io.LimitedReader")
	case *ast.CallExpr:
		f, _ := b.callee(e)
		return FullName(f) != "io.LimitReader" && !b.p.info.Types[e.Fun].IsType()
	}
	return false
}

// judge asks look about each call of the method and of the helper methods that it calls. One that forwards
// decides: beside it there may be a loop for readers and writers that can't do it.
func (b *body) judge(look func(*ast.CallExpr, *types.Func, ast.Expr) Method) Method {
	found := map[Method]bool{}
	ast.Inspect(b.decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, on := b.callee(call); f != nil {
			found[look(call, f, on)] = true
		}
		if decl := b.helper(call); decl != nil && b.depth < helpersMax && len(call.Args) > 0 {
			outer := *b
			*b = *newBody(b.p, decl, b.inner)
			b.depth = outer.depth + 1
			found[b.judge(look)] = true
			*b = outer
		}
		return true
	})
	for _, m := range []Method{Forwards, Loops, Transforms} {
		if found[m] {
			return m
		}
	}
	return Opaque
}

// returns says whether a method without parameters returns the inner value, or what a method of that returns.
func (b *body) returns() Method {
	for _, s := range b.decl.Body.List {
		r, ok := s.(*ast.ReturnStmt)
		if !ok {
			continue
		}
		for _, e := range r.Results {
			if b.origin(e) == b.inner {
				return Forwards
			}
			if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && b.owner(call) == b.inner {
				return Forwards
			}
		}
	}
	return Opaque
}
