package shape

import (
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
