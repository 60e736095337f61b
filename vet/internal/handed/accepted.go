package handed

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// Accepted returns the wrappers of connections that the listeners of a package return from Accept, if what
// they wrap was accepted by another listener.
func Accepted(pass *analysis.Pass, shapes *shape.Shapes) (list []Handing) {
	if !imports(pass.Pkg, "net") {
		return nil
	}
	var r *resolver
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Recv == nil || d.Name.Name != "Accept" || d.Body == nil {
				continue
			}
			f, ok := pass.TypesInfo.Defs[d.Name].(*types.Func)
			if !ok || !accepts(f) {
				continue
			}
			if r == nil {
				r = newResolver(pass, shapes)
			}
			for _, e := range r.returned[f] {
				for _, h := range r.handings(e, "the caller of Accept") {
					if r.holdsAccepted(h) {
						list = append(list, h)
					}
				}
			}
		}
	}
	return list
}

// accepts reports whether f is the Accept of a listener, or of something like one.
func accepts(f *types.Func) bool {
	s := f.Signature()
	return s.Params().Len() == 0 && s.Results().Len() == 2 && shape.RolesOf(s.Results().At(0).Type())&shape.Conn != 0
}

// holdsAccepted reports whether some value that the package puts into a wrapper was accepted from a listener.
func (r *resolver) holdsAccepted(h Handing) bool {
	if h.Type == nil {
		return h.inner != nil && r.accepted(h.inner)
	}
	t := types.Unalias(h.Type)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if f.Name() == h.Wrapper.Field {
			if slices.ContainsFunc(r.assigned[f.Origin()], r.accepted) {
				return true
			}
		}
	}
	return false
}

// accepted reports whether e may be what a listener of package net has accepted.
func (r *resolver) accepted(e ast.Expr) bool {
	e = ast.Unparen(e)
	switch e := e.(type) {
	case *ast.TypeAssertExpr:
		return r.accepted(e.X)
	case *ast.CallExpr:
		f := r.callee(e)
		if f == nil {
			return r.info.Types[e.Fun].IsType() && len(e.Args) == 1 && r.accepted(e.Args[0])
		}
		switch shape.FullName(f) {
		case "(net.Listener).Accept", "(*net.TCPListener).Accept", "(*net.TCPListener).AcceptTCP",
			"(*net.UnixListener).Accept", "(*net.UnixListener).AcceptUnix":
			return true
		}
		return r.any(f, r.returned[f.Origin()])
	}
	v, ok := r.place(e).(*types.Var)
	return ok && r.any(v.Origin(), r.assigned[v.Origin()])
}

// any reports whether one of the values of obj may be accepted.
func (r *resolver) any(obj types.Object, values []ast.Expr) bool {
	if r.busy[obj] {
		return false
	}
	r.busy[obj] = true
	defer delete(r.busy, obj)
	return slices.ContainsFunc(values, r.accepted)
}
