package shape

import (
	"go/ast"
	"go/types"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"
)

// pkg finds the shapes of one package.
type pkg struct {
	pass  *analysis.Pass
	info  *types.Info
	decls map[*types.Func]*ast.FuncDecl // functions of the package with bodies
	mu    sync.Mutex                    // guards what follows, once the pass is over
	types map[*types.TypeName]*Wrapper  // nil: no wrapper, or not known yet
	funcs map[*types.Func][]Makes       // nil: makes nothing, or not known yet
}

func newPkg(pass *analysis.Pass) *pkg {
	p := &pkg{pass: pass, info: pass.TypesInfo, decls: map[*types.Func]*ast.FuncDecl{},
		types: map[*types.TypeName]*Wrapper{}, funcs: map[*types.Func][]Makes{}}
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				if f, ok := p.info.Defs[d.Name].(*types.Func); ok {
					p.decls[f] = d
				}
			}
		}
	}
	return p
}

// exportWrappers finds the wrappers among the package's types.
func (p *pkg) exportWrappers() {
	scope := p.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		if tn, ok := scope.Lookup(name).(*types.TypeName); ok && !tn.IsAlias() {
			p.wrapper(tn.Type())
		}
	}
	p.choose()
	for _, name := range scope.Names() {
		if tn, ok := scope.Lookup(name).(*types.TypeName); ok && p.types[tn] != nil {
			p.pass.ExportObjectFact(tn, p.types[tn])
		}
	}
}

// wrapper returns what is known of a type, nil if it is no wrapper.
func (p *pkg) wrapper(t types.Type) *Wrapper {
	switch t := Deref(t).(type) {
	case *types.Struct:
		return p.inspect(t, t)
	case *types.Named:
		return p.named(t.Origin())
	}
	return nil
}

// named returns what is known of a named type. The types of other packages are known by their facts, and
// those of functions, which have no facts, by their fields.
func (p *pkg) named(t *types.Named) *Wrapper {
	tn := t.Obj()
	if w, known := p.types[tn]; known {
		return w
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok || tn.Pkg() == nil || terminal(tn.Pkg().Path()) {
		return nil
	}
	p.types[tn] = nil // a type that holds itself wraps nothing
	if tn.Pkg() == p.pass.Pkg || tn.Parent() != tn.Pkg().Scope() && t.NumMethods() == 0 {
		p.types[tn] = p.inspect(t, s)
	} else if w := new(Wrapper); p.pass.ImportObjectFact(tn, w) {
		p.types[tn] = w
	}
	return p.types[tn]
}

// inspect looks at the struct type t, whose fields are s.
func (p *pkg) inspect(t types.Type, s *types.Struct) *Wrapper {
	roles := RolesOf(t)
	if roles&(Reader|Writer) == 0 {
		return nil
	}
	var best *Wrapper
	bestScore := 0
	for i := range s.NumFields() {
		f := s.Field(i)
		common := RolesOf(f.Type()) & roles
		if common&(Reader|Writer) == 0 || !p.canHold(f.Type()) {
			continue
		}
		w := p.around(t, f, i, roles)
		if s := w.score(common); s > bestScore {
			best, bestScore = w, s
		}
	}
	return best
}

// canHold reports whether a field of type t may hold a file or a connection: it is an interface, one of
// the types that hand bytes to the kernel, or another wrapper.
func (p *pkg) canHold(t types.Type) bool {
	return types.IsInterface(t) || conduit(t) || p.wrapper(t) != nil
}

func conduit(t types.Type) bool {
	return slices.Contains(conduits, types.TypeString(types.Unalias(t), nil))
}

// around describes t as a wrapper of its i-th field.
func (p *pkg) around(t types.Type, f *types.Var, i int, roles Role) *Wrapper {
	inner := types.TypeString(types.Unalias(f.Type()), nil)
	w := &Wrapper{Roles: roles, Field: f.Name(), Embedded: f.Embedded(), Inner: inner}
	w.Read = p.through(f.Type(), "Read", p.method(t, i, "Read", sigBytes, (*body).moves))
	w.Write = p.through(f.Type(), "Write", p.method(t, i, "Write", sigBytes, (*body).moves))
	w.ReadFrom = p.method(t, i, "ReadFrom", sigReadFrom, (*body).readsFrom)
	w.WriteTo = p.method(t, i, "WriteTo", sigWriteTo, (*body).writesTo)
	w.SyscallConn = p.method(t, i, "SyscallConn", sigSyscall, (*body).returns)
	w.Unwrap = p.method(t, i, "Unwrap", "func() net/http.ResponseWriter", (*body).returns)
	return w
}

// score says how well a field explains what its struct is for: first by the roles that they share, then by
// whether the struct's methods use it, then by whether it is embedded.
func (w *Wrapper) score(common Role) (n int) {
	n = 1
	for i, r := range []Role{File, Conn, ResponseWriter} {
		if common&r != 0 {
			n += 16 << i
		}
	}
	for _, m := range []Method{w.Read, w.Write} {
		if m == Forwards || m == Promoted {
			n += 2
		}
	}
	if w.Embedded {
		n++
	}
	return n
}

// method says what the method of t does, seen from its i-th field.
func (p *pkg) method(t types.Type, i int, name, signature string, look func(*body) Method) Method {
	f, index := method(t, name, signature)
	switch {
	case f == nil:
		return Absent
	case len(index) > 1 && index[0] == i:
		return Promoted
	case len(index) > 1:
		return Transforms // it belongs to another field
	}
	decl := p.decls[f.Origin()]
	if decl == nil {
		return Opaque
	}
	return look(newBody(p, decl, i))
}

// through is what a method of a struct does in the end, if what it forwards to is a wrapper too.
func (p *pkg) through(inner types.Type, name string, m Method) Method {
	if m != Promoted && m != Forwards || types.IsInterface(inner) || conduit(inner) {
		return m
	}
	next := p.wrapper(inner)
	if next == nil {
		return Transforms
	}
	of := next.Write
	if name == "Read" {
		of = next.Read
	}
	if of == Promoted || of == Forwards {
		return m
	}
	return of
}
