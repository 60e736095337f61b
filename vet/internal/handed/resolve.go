package handed

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// resolver finds out which types a value may have. It looks at all assignments to a variable, a field or
// a parameter in the package, whatever their order.
type resolver struct {
	info     *types.Info
	pkg      *types.Package
	shapes   *shape.Shapes
	assigned map[types.Object][]ast.Expr // to variables, fields and parameters
	returned map[*types.Func][]ast.Expr  // first results
	busy     map[types.Object]bool
}

func newResolver(pass *analysis.Pass, shapes *shape.Shapes) *resolver {
	r := &resolver{info: pass.TypesInfo, pkg: pass.Pkg, shapes: shapes, assigned: map[types.Object][]ast.Expr{},
		returned: map[*types.Func][]ast.Expr{}, busy: map[types.Object]bool{}}
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				r.returns(f)
			}
		}
		ast.Inspect(file, r.collect)
	}
	return r
}

// returns records what a function returns, if that is a writer.
func (r *resolver) returns(d *ast.FuncDecl) {
	f, ok := r.info.Defs[d.Name].(*types.Func)
	if !ok || d.Body == nil || f.Signature().Results().Len() == 0 || !isWriter(f.Signature().Results().At(0).Type()) {
		return
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) > 0 {
				r.returned[f] = append(r.returned[f], n.Results[0])
			} else {
				r.returned[f] = append(r.returned[f], d.Type.Results.List[0].Names[0])
			}
		}
		return true
	})
}

// collect records what a node assigns to variables and fields that are writers.
func (r *resolver) collect(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, l := range n.Lhs {
			if len(n.Lhs) == len(n.Rhs) || i == 0 {
				r.assign(r.place(l), n.Rhs[i])
			}
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if i < len(n.Values) {
				r.assign(r.info.Defs[name], n.Values[i])
			}
		}
	case *ast.CompositeLit:
		r.fields(n)
	case *ast.CallExpr:
		if f := r.callee(n); f != nil && f.Pkg() == r.pkg {
			params := f.Signature().Params()
			for i := range min(params.Len(), len(n.Args)) {
				r.assign(params.At(i), n.Args[i])
			}
		}
	}
	return true
}

// fields records the fields of a literal.
func (r *resolver) fields(lit *ast.CompositeLit) {
	s, ok := r.info.TypeOf(lit).Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				r.assign(r.info.Uses[id], kv.Value)
			}
		} else if i < s.NumFields() {
			r.assign(s.Field(i), e)
		}
	}
}

func (r *resolver) assign(to types.Object, value ast.Expr) {
	v, ok := to.(*types.Var)
	if ok && isWriter(v.Type()) {
		v = v.Origin()
		r.assigned[v] = append(r.assigned[v], value)
	}
}

// place returns the variable or field that an expression names, nil if it is none.
func (r *resolver) place(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return r.info.ObjectOf(e)
	case *ast.SelectorExpr:
		return r.info.ObjectOf(e.Sel)
	}
	return nil
}

func isWriter(t types.Type) bool { return shape.RolesOf(t)&shape.Writer != 0 }

func (r *resolver) callee(call *ast.CallExpr) *types.Func {
	f := typeutil.StaticCallee(r.info, call)
	if f == nil {
		f, _ = typeutil.Callee(r.info, call).(*types.Func) // of an interface
	}
	return f
}

// handings returns the wrappers that e may be.
func (r *resolver) handings(e ast.Expr, to string) (list []Handing) {
	for _, h := range r.values(e) {
		h.Pos, h.To, h.Own = e.Pos(), to, r.creates(e)
		list = append(list, h)
	}
	return list
}

// values returns the wrappers that may be in e, without where they are handed to.
func (r *resolver) values(e ast.Expr) []Handing {
	e = ast.Unparen(e)
	t := r.info.TypeOf(e)
	if t == nil {
		return nil
	}
	if call, ok := e.(*ast.CallExpr); ok {
		if tuple, ok := t.(*types.Tuple); ok && tuple.Len() > 0 {
			t = tuple.At(0).Type()
		}
		if types.IsInterface(t) {
			return r.made(call)
		}
	}
	if !types.IsInterface(t) {
		w := r.shapes.Wrapper(t)
		if w == nil {
			return nil
		}
		return []Handing{{Type: t, Wrapper: w, Name: types.TypeString(t, types.RelativeTo(r.pkg))}}
	}
	if a, ok := e.(*ast.TypeAssertExpr); ok {
		return r.values(a.X)
	}
	v, ok := r.place(e).(*types.Var)
	if !ok || r.busy[v.Origin()] {
		return nil
	}
	r.busy[v.Origin()] = true
	defer delete(r.busy, v.Origin())
	return r.all(r.assigned[v.Origin()])
}

func (r *resolver) all(values []ast.Expr) (list []Handing) {
	for _, e := range values {
		for _, h := range r.values(e) {
			if !has(list, h) {
				list = append(list, h)
			}
		}
	}
	return list
}

func has(list []Handing, h Handing) bool {
	for _, o := range list {
		if o.Name == h.Name {
			return true
		}
	}
	return false
}

// made returns what a function returns that has an interface as its result.
func (r *resolver) made(call *ast.CallExpr) (list []Handing) {
	if r.info.Types[call.Fun].IsType() && len(call.Args) == 1 {
		return r.values(call.Args[0])
	}
	f := r.callee(call)
	if f == nil || r.busy[f] {
		return nil
	}
	f = f.Origin()
	r.busy[f] = true
	defer delete(r.busy, f)
	if f.Pkg() == r.pkg {
		return r.all(r.returned[f])
	}
	all := r.shapes.Makes(f)
	if slices.ContainsFunc(all, func(m shape.Makes) bool {
		return m.Result == 0 && m.Wrapper != nil && m.Wrapper.ReadFrom != shape.Absent
	}) {
		return nil // a delegator, chosen by what is inside
	}
	for _, m := range all {
		if m.Result == 0 && m.Wrapper != nil {
			h := Handing{Wrapper: m.Wrapper, Name: m.Type}
			if m.Param >= 0 && m.Param < len(call.Args) {
				h.inner = call.Args[m.Param]
			}
			list = append(list, h)
		} else if m.Result == 0 && m.Param >= 0 && m.Param < len(call.Args) {
			list = append(list, r.values(call.Args[m.Param])...)
		}
	}
	return list
}

// creates reports whether e may be a value that the package makes itself, by a literal or by a function
// that is known to wrap what it gets. What an interface of a framework returns is the framework's business.
func (r *resolver) creates(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return r.creates(e.X)
	case *ast.CompositeLit:
		return true
	case *ast.TypeAssertExpr:
		return r.creates(e.X)
	case *ast.CallExpr:
		if r.info.Types[e.Fun].IsType() && len(e.Args) == 1 {
			return r.creates(e.Args[0])
		}
		f := r.callee(e)
		if f == nil || r.busy[f] {
			return false
		}
		r.busy[f] = true
		defer delete(r.busy, f)
		return slices.ContainsFunc(r.returned[f.Origin()], r.creates) ||
			slices.ContainsFunc(r.shapes.Makes(f), func(m shape.Makes) bool { return m.Result == 0 && m.Param >= 0 })
	}
	v, ok := r.place(e).(*types.Var)
	if !ok || r.busy[v.Origin()] {
		return false
	}
	r.busy[v.Origin()] = true
	defer delete(r.busy, v.Origin())
	return slices.ContainsFunc(r.assigned[v.Origin()], r.creates)
}
