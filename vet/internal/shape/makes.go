package shape

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
)

// exportMakes finds the functions that return wrappers.
func (p *pkg) exportMakes() {
	for _, f := range slices.SortedFunc(maps.Keys(p.decls), func(a, b *types.Func) int { return int(a.Pos() - b.Pos()) }) {
		if list := p.makes(f); list != nil {
			p.pass.ExportObjectFact(f, &made{list})
		}
	}
}

// makes returns what is known of a function, nil if it makes nothing that matters.
func (p *pkg) makes(f *types.Func) []Makes {
	if list, known := p.funcs[f]; known {
		return list
	}
	p.funcs[f] = nil // a function that calls itself makes what its other returns make
	if f.Pkg() != p.pass.Pkg {
		if m := new(made); f.Pkg() != nil && p.pass.ImportObjectFact(f, m) {
			p.funcs[f] = m.List
		}
	} else if decl := p.decls[f]; decl != nil && p.mayMake(f) {
		p.funcs[f] = newMaker(p, f, decl).returns()
	}
	return p.funcs[f]
}

// mayMake reports whether a result of f can be a wrapper.
func (p *pkg) mayMake(f *types.Func) bool {
	for v := range f.Signature().Results().Variables() {
		if moves(v.Type()) {
			return true
		}
	}
	return false
}

// moves reports whether t can be read from or written to.
func moves(t types.Type) bool { return RolesOf(t)&(Reader|Writer) != 0 }

// maker is a function, seen from what it returns.
type maker struct {
	body
	f *types.Func
}

func newMaker(p *pkg, f *types.Func, decl *ast.FuncDecl) *maker {
	m := &maker{body{p: p, decl: decl, vars: map[types.Object][]ast.Expr{}, busy: map[types.Object]bool{}}, f}
	ast.Inspect(decl.Body, m.collect)
	return m
}

// returns finds what is returned. It returns nil if nothing is known of any result.
func (m *maker) returns() (list []Makes) {
	results := m.f.Signature().Results()
	ast.Inspect(m.decl.Body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		r, ok := n.(*ast.ReturnStmt)
		if !ok {
			return true
		}
		for i := range results.Len() {
			if !moves(results.At(i).Type()) {
				continue
			}
			for _, made := range m.result(r, i) {
				if made.Result = i; !slices.ContainsFunc(list, made.same) {
					list = append(list, made)
				}
			}
		}
		return true
	})
	if !slices.ContainsFunc(list, func(m Makes) bool { return m.Param >= 0 || m.Wrapper != nil }) {
		return nil
	}
	return list
}

func (m Makes) same(o Makes) bool {
	return m.Result == o.Result && m.Param == o.Param && m.Type == o.Type && (m.Wrapper == nil) == (o.Wrapper == nil)
}

// result returns what a return statement tells about the i-th result.
func (m *maker) result(r *ast.ReturnStmt, i int) []Makes {
	results := m.f.Signature().Results()
	switch {
	case len(r.Results) == results.Len():
		return m.value(r.Results[i], 0)
	case len(r.Results) == 1: // return f()
		if call, ok := ast.Unparen(r.Results[0]).(*ast.CallExpr); ok {
			return m.called(call, i, 0)
		}
	case len(r.Results) == 0:
		return m.variable(results.At(i), 0)
	}
	return nil
}

// valuesMax bounds how far a value is followed back.
const valuesMax = 8

// value returns what e may be.
func (m *maker) value(e ast.Expr, depth int) []Makes {
	if e == nil || depth > valuesMax {
		return nil
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if m.p.info.Types[e].IsNil() {
			return nil
		}
		if v := m.p.info.ObjectOf(e); v != nil {
			return m.variable(v, depth)
		}
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok && e.Op == token.AND {
			return m.literal(e, lit, depth)
		}
	case *ast.CompositeLit:
		return m.literal(e, e, depth)
	case *ast.TypeAssertExpr:
		return m.asserted(e, depth)
	case *ast.CallExpr:
		if tv := m.p.info.Types[e.Fun]; tv.IsType() && len(e.Args) == 1 {
			return m.value(e.Args[0], depth+1)
		} else if tv.IsBuiltin() {
			return m.unknown(e) // new(T)
		}
		return m.called(e, 0, depth)
	}
	return m.unknown(e)
}

// asserted is a value of another type: if that is a concrete one, it says more than the value does.
func (m *maker) asserted(e *ast.TypeAssertExpr, depth int) []Makes {
	if m.p.wrapper(m.p.info.TypeOf(e)) != nil {
		return m.unknown(e)
	}
	return m.value(e.X, depth+1)
}

// variable returns what may be in a variable, among it a wrapper whose field is set later.
func (m *maker) variable(v types.Object, depth int) (list []Makes) {
	if i := slices.Index(m.parameters(), v); i >= 0 {
		list = append(list, Makes{Param: i, Type: types.TypeString(types.Unalias(v.Type()), nil)})
	}
	if m.busy[v] {
		return list // r = wrap(r): what it was before
	}
	m.busy[v] = true
	defer delete(m.busy, v)
	for _, e := range m.vars[v] {
		list = append(list, m.value(e, depth+1)...)
	}
	if list == nil && (m.vars[v] == nil || m.vars[v][0] == nil) {
		return m.ofType(v.Type())
	}
	for i := range list {
		if w := list[i].Wrapper; w != nil && list[i].Param < 0 {
			list[i].Param = m.param(m.stored(v, w.Field), depth)
		}
	}
	return list
}

// stored returns what is assigned to the field of v with that name, nil if nothing is.
func (m *maker) stored(v types.Object, name string) (value ast.Expr) {
	ast.Inspect(m.decl.Body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != len(a.Rhs) {
			return true
		}
		for i, l := range a.Lhs {
			if sel, ok := l.(*ast.SelectorExpr); ok && sel.Sel.Name == name {
				if id, ok := ast.Unparen(sel.X).(*ast.Ident); ok && m.p.info.ObjectOf(id) == v {
					value = a.Rhs[i]
				}
			}
		}
		return true
	})
	return value
}

// literal returns what e is, T{…} or the address of one.
func (m *maker) literal(e ast.Expr, lit *ast.CompositeLit, depth int) []Makes {
	list := m.unknown(e)
	if w := list[0].Wrapper; w != nil {
		list[0].Param = m.param(m.element(lit, w.Field), depth)
	}
	return list
}

// element returns the value of a field in a literal, nil if it has none.
func (m *maker) element(lit *ast.CompositeLit, name string) ast.Expr {
	s, ok := m.p.info.TypeOf(lit).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for i, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && id.Name == name {
				return kv.Value
			}
		} else if s.Field(i).Name() == name {
			return e
		}
	}
	return nil
}

// param returns the parameter that e is, or holds; -1 if that can't be told.
func (m *maker) param(e ast.Expr, depth int) int {
	if e == nil {
		return -1
	}
	list := m.value(e, depth+1)
	if len(list) == 0 {
		return -1
	}
	for _, v := range list[1:] {
		if v.Param != list[0].Param {
			return -1
		}
	}
	return list[0].Param
}

// called returns what the k-th result of a call may be.
func (m *maker) called(call *ast.CallExpr, k, depth int) (list []Makes) {
	f, _ := m.callee(call)
	var made []Makes
	if f != nil {
		made = m.p.makes(f.Origin())
	}
	for _, of := range made {
		if of.Result != k {
			continue
		}
		if of.Param < 0 || of.Param >= len(call.Args) {
			of.Param = -1
			list = append(list, of)
			continue
		}
		for _, arg := range m.value(call.Args[of.Param], depth+1) {
			if of.Wrapper != nil {
				arg.Wrapper, arg.Type = of.Wrapper, of.Type
			}
			list = append(list, arg)
		}
	}
	if list == nil {
		t := m.p.info.TypeOf(call)
		if tuple, ok := t.(*types.Tuple); ok {
			t = tuple.At(k).Type()
		}
		list = m.ofType(t)
	}
	return list
}

// ofType returns what the type of a value tells about it.
func (m *maker) ofType(t types.Type) []Makes {
	return []Makes{{Param: -1, Wrapper: m.p.wrapper(t), Type: types.TypeString(types.Unalias(t), nil)}}
}

func (m *maker) unknown(e ast.Expr) []Makes { return m.ofType(m.p.info.TypeOf(e)) }
