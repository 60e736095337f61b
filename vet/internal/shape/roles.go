package shape

import (
	"go/ast"
	"go/types"
	"slices"
)

// roleMethods are the methods that make a role, with their signatures as types.TypeString writes them
// without names.
var roleMethods = []struct {
	role    Role
	methods [][2]string
}{
	{Writer, [][2]string{{"Write", sigBytes}}},
	{Reader, [][2]string{{"Read", sigBytes}}},
	{ResponseWriter, [][2]string{
		{"Write", sigBytes}, {"WriteHeader", "func(int)"}, {"Header", "func() net/http.Header"},
	}},
	{Conn, [][2]string{
		{"Read", sigBytes}, {"Write", sigBytes}, {"RemoteAddr", "func() net.Addr"},
		{"LocalAddr", "func() net.Addr"}, {"SetDeadline", "func(time.Time) error"}, {"Close", "func() error"},
	}},
	{File, [][2]string{
		{"Read", sigBytes}, {"Stat", "func() (io/fs.FileInfo, error)"}, {"Close", "func() error"},
	}},
	{Listener, [][2]string{
		{"Accept", "func() (net.Conn, error)"}, {"Addr", "func() net.Addr"}, {"Close", "func() error"},
	}},
}

// The signatures of methods that move bytes.
const (
	sigBytes    = "func([]byte) (int, error)"
	sigReadFrom = "func(io.Reader) (int64, error)"
	sigWriteTo  = "func(io.Writer) (int64, error)"
	sigSyscall  = "func() (syscall.RawConn, error)"
)

// RolesOf returns the roles of t. Those of a struct type, or of a named one, are the roles of a pointer
// to it.
func RolesOf(t types.Type) (roles Role) {
	for _, r := range roleMethods {
		if !slices.ContainsFunc(r.methods, func(m [2]string) bool { f, _ := method(t, m[0], m[1]); return f == nil }) {
			roles |= r.role
		}
	}
	return roles
}

// method returns the method of t, or of a pointer to t, with that name and signature, and the way to it
// through embedded fields; nil if there is none.
func method(t types.Type, name, signature string) (*types.Func, []int) {
	if !types.IsInterface(t) && !isPointer(t) {
		t = types.NewPointer(t)
	}
	obj, index, _ := types.LookupFieldOrMethod(t, true, nil, name)
	f, ok := obj.(*types.Func)
	if !ok || signatureOf(f.Signature()) != signature {
		return nil, nil
	}
	return f, index
}

// signatureOf writes a signature without the names of parameters and results.
func signatureOf(s *types.Signature) string {
	bare := func(t *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range t.Variables() {
			vars = append(vars, types.NewParam(v.Pos(), nil, "", types.Unalias(v.Type())))
		}
		return types.NewTuple(vars...)
	}
	return types.TypeString(types.NewSignatureType(nil, nil, nil, bare(s.Params()), bare(s.Results()), s.Variadic()), nil)
}

func isPointer(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Pointer)
	return ok
}

// conduits are the concrete types that hand bytes to the kernel.
var conduits = []string{
	"*os.File", "*net.TCPConn", "*net.UnixConn", "*net.UDPConn", "*net.IPConn",
	"os.File", "net.TCPConn", "net.UnixConn", "net.UDPConn", "net.IPConn",
}

// terminal reports whether the types of a package are what others wrap, and wrap nothing themselves that
// a copy would look for.
func terminal(path string) bool {
	return slices.Contains([]string{"os", "net", "internal/poll", "syscall", "runtime", "unsafe"}, path)
}

// choose marks the wrappers that are only one form of several: another struct type of the package holds
// them, or stands for them, and has ReadFrom. The package then takes that where the inner value has
// ReadFrom, as delegators do that are built from the interfaces that they find.
func (p *pkg) choose() {
	var losing []*types.TypeName
	for tn, w := range p.types {
		if w != nil && tn.Pkg() == p.pass.Pkg && w.Loses() && w.Roles&(ResponseWriter|Conn) != 0 {
			losing = append(losing, tn)
		}
	}
	if len(losing) == 0 {
		return
	}
	for _, s := range p.structs() {
		if f, _ := method(s, "ReadFrom", sigReadFrom); f == nil {
			continue
		}
		for _, tn := range losing {
			if stands(s, tn, 0) {
				p.types[tn].Chosen = true
			}
		}
	}
}

// structs returns the struct types of the package, with names and without.
func (p *pkg) structs() (list []types.Type) {
	named := map[ast.Expr]bool{}
	for _, file := range p.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				named[n.Type] = true
				if tn, ok := p.info.Defs[n.Name].(*types.TypeName); ok && !tn.IsAlias() {
					list = append(list, tn.Type())
				}
			case *ast.StructType:
				if t := p.info.TypeOf(n); t != nil && !named[n] {
					list = append(list, t)
				}
			}
			return true
		})
	}
	return list
}

// stands reports whether a value of type s may stand for one of tn: a field of it has that type, or s has
// no name, and a field of it is an interface that tn implements, as in struct{ http.ResponseWriter; io.ReaderFrom }.
func stands(s types.Type, tn *types.TypeName, depth int) bool {
	under, ok := Deref(s).Underlying().(*types.Struct)
	if !ok || depth > helpersMax {
		return false
	}
	_, anonymous := types.Unalias(s).(*types.Struct)
	for f := range under.Fields() {
		t := Deref(f.Type())
		if named, ok := t.(*types.Named); ok && named.Origin().Obj() == tn {
			return true
		}
		if f.Embedded() && stands(t, tn, depth+1) {
			return true
		}
		if i, ok := t.Underlying().(*types.Interface); ok && anonymous && RolesOf(t)&Writer != 0 &&
			types.Implements(types.NewPointer(tn.Type()), i) {
			return true
		}
	}
	return false
}
