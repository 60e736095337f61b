package method

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Path is where a value is: a variable, and the fields that lead from it.
type Path struct {
	Root   *types.Var
	Fields []*types.Var
}

// Join returns the path of what is at q in a value that is at p: q's root is replaced by p.
func (p Path) Join(q Path) Path {
	return Path{p.Root, append(slices.Clone(p.Fields), q.Fields...)}
}

// Equal reports whether two paths lead to the same place.
func (p Path) Equal(q Path) bool { return p.Root == q.Root && slices.Equal(p.Fields, q.Fields) }

// PathOf returns the path that an expression is: x, x.f, (*x).f, &x.f. Embedded fields that the source
// leaves out are in it.
func PathOf(info *types.Info, e ast.Expr) (p Path, ok bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := info.Uses[e].(*types.Var)
		return Path{Root: v}, ok
	case *ast.StarExpr:
		return PathOf(info, e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return PathOf(info, e.X)
		}
	case *ast.SelectorExpr:
		return selected(info, e)
	}
	return p, false
}

// selected returns the path of a field that e selects.
func selected(info *types.Info, e *ast.SelectorExpr) (p Path, ok bool) {
	s := info.Selections[e]
	if s == nil || s.Kind() != types.FieldVal {
		v, ok := info.Uses[e.Sel].(*types.Var) // of a package
		return Path{Root: v}, ok
	}
	if p, ok = PathOf(info, e.X); !ok {
		return p, false
	}
	return p.Follow(s.Recv(), s.Index())
}

// Holder returns the path of the value whose method a call of it selects: x.f for x.f.Write, and x.f also
// for x.Write if the embedded field f promotes Write.
func Holder(info *types.Info, e *ast.SelectorExpr) (p Path, ok bool) {
	s := info.Selections[e]
	if s == nil || s.Kind() != types.MethodVal {
		return p, false
	}
	if p, ok = PathOf(info, e.X); !ok {
		return p, false
	}
	index := s.Index()
	return p.Follow(s.Recv(), index[:len(index)-1])
}

// Follow returns the path of the field that an index of go/types leads to, from p, a value of type t.
func (p Path) Follow(t types.Type, index []int) (Path, bool) {
	for _, i := range index {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return p, false
		}
		field := s.Field(i)
		p = p.Join(Path{Fields: []*types.Var{field.Origin()}})
		t = field.Type()
	}
	return p, true
}
