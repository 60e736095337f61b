// Package shape knows types: which ones have a zero-copy path, and which ones wrap them and keep or lose
// it. It looks at types and syntax only, so it is cheap enough to run on every dependency, and hands what
// it learnt about a package's types and functions to the packages that import it, as facts.
package shape

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Role says what a type is to a copy.
type Role uint8

// The roles. A type may have several.
const (
	ResponseWriter Role = 1 << iota // it implements http.ResponseWriter
	Conn                            // it implements net.Conn
	Writer                          // it implements io.Writer
	Reader                          // it implements io.Reader
	File                            // it implements fs.File or http.File
	Listener                        // it implements net.Listener
)

// Method says what a method of a wrapper does with the bytes.
type Method uint8

// The values of Method.
const (
	Absent     Method = iota // the type has no such method, and promotes none
	Promoted                 // promoted from the embedded field: it goes to the inner value
	Forwards                 // hands the same bytes to the same method of the inner value, and may count, limit or log
	Loops                    // ReadFrom or WriteTo: copies on its own, by io.Copy or a loop that hides the path
	Transforms               // changes, keeps or drops bytes, or sends them elsewhere: compression, buffers, hashes
	Opaque                   // can't be told
)

var methodNames = [...]string{"absent", "promoted", "forwards", "loops", "transforms", "opaque"}

func (m Method) String() string { return methodNames[m] }

// Wrapper is what is known of a named type that holds a reader, writer, connection, response or file.
type Wrapper struct {
	Roles    Role
	Field    string // the name of the field that holds the inner value
	Embedded bool
	Inner    string // the field's type, as types.TypeString with full paths gives it: "net.Conn", "*os.File"

	Read, Write, ReadFrom, WriteTo, SyscallConn, Unwrap Method

	// Chosen is true if another type of the package adds ReadFrom to this one, and is taken instead where
	// the inner value has ReadFrom.
	Chosen bool
}

// AFact makes a Wrapper a fact about a type's name.
func (*Wrapper) AFact() {}

// String lists the methods that the wrapper has: "ResponseWriter net/http.ResponseWriter: Write forwards".
func (w *Wrapper) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s:", w.Field, w.Inner)
	for _, m := range []struct {
		name string
		does Method
	}{{"Read", w.Read}, {"Write", w.Write}, {"ReadFrom", w.ReadFrom}, {"WriteTo", w.WriteTo},
		{"SyscallConn", w.SyscallConn}, {"Unwrap", w.Unwrap}} {
		if m.does != Absent {
			fmt.Fprintf(&b, " %s %v", m.name, m.does)
		}
	}
	if w.Chosen {
		b.WriteString(" chosen")
	}
	return b.String()
}

// Loses reports whether bytes that are written to the wrapper reach the inner value unchanged, and
// ReadFrom is lost, whatever the inner value is.
func (w *Wrapper) Loses() bool { return w.Passes() && w.ReadFrom == Absent && !w.Chosen }

// Passes reports whether the bytes that are written to the wrapper reach the inner value unchanged.
func (w *Wrapper) Passes() bool { return w.Write == Promoted || w.Write == Forwards }

// Makes is what is known of a result of a function. A function that returns different things has several
// of the same result. One with neither a parameter nor a wrapper says that more may be returned.
type Makes struct {
	// Result is the index of the result, Param of the parameter that it holds, -1 if it holds none; a
	// method's receiver is not counted.
	Result, Param int
	Wrapper       *Wrapper // nil if the result is the parameter itself, or no wrapper
	Type          string   // the concrete type of the result, as in Wrapper.Inner; an interface if it is not known
}

// made is the fact about a function.
type made struct{ List []Makes }

// AFact makes made a fact about a function.
func (*made) AFact() {}

// String lists what is returned: "0: *pkg.T of 1", which holds the second parameter.
func (m *made) String() string {
	var list []string
	for _, r := range m.List {
		s := fmt.Sprintf("%d: %s", r.Result, r.Type)
		if r.Wrapper != nil && r.Param >= 0 {
			s += fmt.Sprintf(" of %d", r.Param)
		} else if r.Param >= 0 {
			s = fmt.Sprintf("%d: parameter %d", r.Result, r.Param)
		}
		list = append(list, s)
	}
	return strings.Join(list, ", ")
}

// Shapes is the result of Analyzer: what is known of types and functions of this package and of all that
// it imports.
type Shapes struct{ p *pkg }

// Wrapper returns what is known of t, a named type, a pointer to one, or an alias of either; instances of
// generic types are what their origin is. A struct type without a name is known by its fields. Wrapper
// returns nil for all other types. It is safe for concurrent use.
func (s *Shapes) Wrapper(t types.Type) *Wrapper {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	return s.p.wrapper(t)
}

// Makes returns what is known of f, nil if nothing. It is safe for concurrent use.
func (s *Shapes) Makes(f *types.Func) []Makes {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	return s.p.makes(f.Origin())
}

// Analyzer finds the shapes of a package. Its result is a *Shapes.
var Analyzer = &analysis.Analyzer{
	Name:       "shape",
	Doc:        "find wrappers of readers, writers and connections",
	ResultType: reflect.TypeFor[*Shapes](),
	FactTypes:  []analysis.Fact{new(Wrapper), new(made)},
	Run:        run,
}

func run(pass *analysis.Pass) (any, error) {
	p := newPkg(pass)
	if !terminal(pass.Pkg.Path()) {
		p.exportWrappers()
		p.exportMakes()
	}
	return &Shapes{p}, nil
}

// Deref returns what a pointer points to, and every other type itself. Aliases are looked through.
func Deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	return types.Unalias(t)
}

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
