package vet

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// nameOf returns the name of a named type, or of what a pointer points to; nil if it has none.
func nameOf(t types.Type) *types.TypeName {
	if t == nil {
		return nil
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return named.Origin().Obj()
	}
	return nil
}

// fieldType returns the type of a field of a struct, or of what a pointer points to; nil if it has none.
func fieldType(t types.Type, name string) types.Type {
	if t == nil {
		return nil
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for f := range s.Fields() {
		if f.Name() == name {
			return f.Type()
		}
	}
	return nil
}

// width is the width of a name in the source.
func width(tn *types.TypeName) token.Pos { return token.Pos(len(tn.Name())) }

// inTest reports whether a position is in a test file.
func inTest(pass *analysis.Pass, p token.Pos) bool {
	return strings.HasSuffix(pass.Fset.Position(p).Filename, "_test.go")
}

// culprit returns the type to change for what is lost by t: t itself, or, as long as it only embeds another
// wrapper of the package and has no Write and no Read of its own, that one, whose new methods it promotes.
func culprit(shapes *shape.Shapes, pkg *types.Package, t types.Type, w *shape.Wrapper) (types.Type, *shape.Wrapper) {
	for t != nil && w.Embedded && w.Write != shape.Forwards && w.Read != shape.Forwards {
		inner := fieldType(t, w.Field)
		next := shapes.Wrapper(inner)
		if tn := nameOf(inner); next == nil || tn == nil || tn.Pkg() != pkg {
			break
		}
		t, w = inner, next
	}
	return t, w
}

// mayHold reports whether the field of a wrapper of pkg has one of the types with these names, or one that
// pkg declares itself. What the types of other packages hold is not known: they may have lost it already.
func mayHold(pkg *types.Package, t types.Type, w *shape.Wrapper, names ...string) bool {
	if slices.Contains(names, w.Inner) {
		return true
	}
	if nameOf(t) == nil {
		return false
	}
	inner := fieldType(t, w.Field)
	if inner == nil {
		return false
	}
	tn := nameOf(inner)
	return tn == nil || tn.Pkg() == pkg
}
