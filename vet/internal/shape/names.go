package shape

import (
	"go/types"
)

// Is reports whether t is the named type with that full name, written as types.TypeString writes it:
// "*os.File", "net/http.ResponseWriter". Aliases are looked through.
func Is(t types.Type, name string) bool {
	return t != nil && types.TypeString(types.Unalias(t), nil) == name
}

// FullName returns the full name of a function, "io.Copy", or method, "(*os.File).Read"; "" for nil.
func FullName(f *types.Func) string {
	if f == nil {
		return ""
	}
	return f.Origin().FullName()
}
