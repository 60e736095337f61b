package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"

	"github.com/thresh-dev/thresh/vet/internal/finding"
	"github.com/thresh-dev/thresh/vet/internal/flow"
	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// The SSA form says where a value was made by a position inside of the expression: that of a call's
// parenthesis, of a literal's brace, of a variable's name. What is reported and mended is the expression.

// pathTo returns the nodes around a position, the innermost first.
func pathTo(pass *analysis.Pass, pos token.Pos) []ast.Node {
	file := finding.FileOf(pass, pos)
	if file == nil {
		return nil
	}
	path, _ := astutil.PathEnclosingInterval(file, pos, pos)
	return path
}

// exprOf returns the expression that made v: a call, a literal with its &, or the name of a variable; nil if
// the source has none. The nodes around it follow, the innermost first.
func exprOf(pass *analysis.Pass, v ssa.Value) (ast.Expr, []ast.Node) {
	if e, ok := v.(*ssa.Extract); ok {
		v = e.Tuple
	}
	return exprAt(pass, v.Pos())
}

func exprAt(pass *analysis.Pass, pos token.Pos) (ast.Expr, []ast.Node) {
	path := pathTo(pass, pos)
	for i, n := range path {
		switch n := n.(type) {
		case *ast.CallExpr:
			if n.Lparen == pos {
				return n, path[i+1:]
			}
		case *ast.CompositeLit:
			if n.Lbrace != pos {
				continue
			}
			if and, ok := path[i+1].(*ast.UnaryExpr); ok && and.Op == token.AND {
				return and, path[i+2:]
			}
			return n, path[i+1:]
		case *ast.Ident:
			if n.NamePos == pos {
				return n, path[i+1:]
			}
		}
	}
	return nil, nil
}

// callOf returns the expression of a call.
func callOf(pass *analysis.Pass, call ssa.CallInstruction) *ast.CallExpr {
	e, _ := exprAt(pass, call.Common().Pos())
	expr, _ := e.(*ast.CallExpr)
	return expr
}

// isFunc reports whether a call is of the function of that name, "io.LimitReader".
func isFunc(pass *analysis.Pass, call *ast.CallExpr, name string) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := pass.TypesInfo.Uses[sel.Sel].(*types.Func)
	return ok && f.FullName() == name
}

// qualifier returns the name by which e, a function or type of another package, calls that package.
func qualifier(e ast.Expr) string {
	if sel, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
		if id, ok := sel.X.(*ast.Ident); ok {
			return id.Name
		}
	}
	return ""
}

// hasMin reports whether the built-in min can be used at a position.
func hasMin(pass *analysis.Pass, pos token.Pos) bool {
	v := pass.TypesInfo.FileVersions[finding.FileOf(pass, pos)]
	if v != "" && version.Compare(v, "go1.21") < 0 {
		return false
	}
	scope := pass.Pkg.Scope().Innermost(pos)
	if scope == nil {
		return false
	}
	_, obj := scope.LookupParent("min", pos)
	return obj != nil && obj.Parent() == types.Universe
}

// replace is the edit that puts text in the place of what lies between two positions.
func replace(from, to token.Pos, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: from, End: to, NewText: []byte(text)}
}

// isLimited reports whether t is *io.LimitedReader, the type that net, os and net/http look through once.
func isLimited(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	return ok && shape.Is(p.Elem(), "io.LimitedReader")
}

// sends reports whether a file or connection may go to dst without a copy: whether a connection, a
// response of net/http, or a wrapper of one that forwards ReadFrom arrives there.
func sends(p *flow.Program, dst []flow.Value) bool {
	return slices.ContainsFunc(dst, func(v flow.Value) bool {
		switch p.KindOf(v) {
		case flow.TCP, flow.Response:
			return true
		case flow.Unknown:
			return isEnd(v.Type) || forwards(p.Wrapper(v))
		}
		return false
	})
}

// isEnd reports whether t is net.Conn, http.ResponseWriter, or an interface with the methods of one.
func isEnd(t types.Type) bool {
	if !types.IsInterface(t) {
		return false
	}
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool {
			obj, _, _ := types.LookupFieldOrMethod(t, false, nil, name)
			return obj == nil
		})
	}
	return has("Write", "Header", "WriteHeader") || has("Read", "Write", "RemoteAddr", "SetWriteDeadline")
}

// forwards reports whether a wrapper of a response or a connection hands the source of a copy on.
func forwards(w *shape.Wrapper) bool {
	return w != nil && w.ReadFrom == shape.Forwards && w.Roles&(shape.ResponseWriter|shape.Conn) != 0
}

// storesTo reports whether a file, opened to be written and not appended to, arrives at dst.
func storesTo(p *flow.Program, dst []flow.Value) bool {
	return slices.ContainsFunc(dst, func(v flow.Value) bool {
		return p.KindOf(v) == flow.File && truncates(v.At)
	})
}

// truncates reports whether a call is known to open a file without O_APPEND: the kernel refuses to move
// bytes to files with it.
func truncates(v ssa.Value) bool {
	return madeBy(v, "os.Create", "os.CreateTemp", "(*os.Root).Create") != nil
}

// madeBy returns the call that v is a result of, if it is one of the functions with these names.
func madeBy(v ssa.Value, names ...string) *ssa.Call {
	if e, ok := v.(*ssa.Extract); ok {
		v = e.Tuple
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return nil
	}
	if callee := call.Call.StaticCallee(); callee == nil || !slices.Contains(names, callee.String()) {
		return nil
	}
	return call
}

// sources returns what may arrive at src, and for limits what they limit.
func sources(p *flow.Program, src []flow.Value) []flow.Value {
	var found []flow.Value
	for _, v := range src {
		if !isLimited(v.Type) {
			found = append(found, v)
			continue
		}
		found = append(found, p.Inner(v, "")...)
	}
	return found
}

// forwarded returns the sources of a copy, and for wrappers whose WriteTo leaves the copy to what is inside
// them, that, if the copy asks for WriteTo.
func forwarded(p *flow.Program, c flow.Copy, src []flow.Value) []flow.Value {
	if c.Func != "io.Copy" && c.Func != "io.CopyBuffer" {
		return src
	}
	var found []flow.Value
	for _, v := range src {
		var inner []flow.Value
		if w := p.Wrapper(v); w != nil && (w.WriteTo == shape.Forwards || w.WriteTo == shape.Promoted) {
			inner = p.Inner(v, w.Field)
		}
		if inner == nil { // nothing, or it can't be told
			inner = []flow.Value{v}
		}
		found = append(found, inner...)
	}
	return found
}

// lost names what is lost when one of the values can't be seen by a connection or response: sendfile if
// it is a file, splice if it is a connection, "" if it is neither.
func lost(p *flow.Program, values []flow.Value) string {
	for _, v := range values {
		switch p.KindOf(v) {
		case flow.File:
			return "sendfile"
		case flow.TCP, flow.Unix:
			return "splice"
		}
	}
	return ""
}

// nameOf returns the name of a named type, or of what a pointer points to; nil if it has none.
func nameOf(t types.Type) *types.TypeName {
	if t == nil {
		return nil
	}
	if named, ok := shape.Deref(t).(*types.Named); ok {
		return named.Origin().Obj()
	}
	return nil
}

// fieldType returns the type of a field of a struct, or of what a pointer points to; nil if it has none.
func fieldType(t types.Type, name string) types.Type {
	if t == nil {
		return nil
	}
	s, ok := shape.Deref(t).Underlying().(*types.Struct)
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
