// Package method reads the bodies of methods: what they call, where in a value that is, and on which
// conditions. It needs types and syntax only.
package method

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// Method is a method with a body.
type Method struct {
	Decl *ast.FuncDecl
	Func *types.Func
	Recv *types.Var // nil if it has no name
}

// Set has the methods that a package declares.
type Set struct {
	Info  *types.Info
	byFun map[*types.Func]*Method
	all   []*Method
}

// Of returns the methods of a package.
func Of(pass *analysis.Pass) *Set {
	s := &Set{Info: pass.TypesInfo, byFun: map[*types.Func]*Method{}}
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok || d.Recv == nil || d.Body == nil {
				continue
			}
			f, ok := pass.TypesInfo.Defs[d.Name].(*types.Func)
			if !ok {
				continue
			}
			m := &Method{Decl: d, Func: f}
			if names := d.Recv.List[0].Names; len(names) == 1 && names[0].Name != "_" {
				m.Recv, _ = pass.TypesInfo.Defs[names[0]].(*types.Var)
			}
			s.byFun[f], s.all = m, append(s.all, m)
		}
	}
	return s
}

// Named returns the methods with a name and a signature, in source order.
func (s *Set) Named(name string, has func(*types.Signature) bool) (found []*Method) {
	for _, m := range s.all {
		if m.Func.Name() == name && has(m.Func.Signature()) {
			found = append(found, m)
		}
	}
	return found
}

// Decl returns the method that f is, nil if this package has no body for it.
func (s *Set) Decl(f *types.Func) *Method {
	if f == nil {
		return nil
	}
	return s.byFun[f.Origin()]
}

// Lookup returns the method of a type or of a pointer to it, nil if it has none.
func Lookup(t types.Type, pkg *types.Package, name string) *types.Func {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, pkg, name)
	f, _ := obj.(*types.Func)
	return f
}

// Copies reports whether f is the method of io.ReaderFrom or io.WriterTo, and not another of that name, as a
// *net.UnixConn has.
func Copies(f *types.Func) bool {
	s := f.Signature()
	return s.Recv() != nil && (f.Name() == "ReadFrom" && ReadFrom(s) || f.Name() == "WriteTo" && WriteTo(s))
}

// ReadFrom reports whether a signature is that of io.ReaderFrom.
func ReadFrom(s *types.Signature) bool { return copies(s, "io.Reader") }

// WriteTo reports whether a signature is that of io.WriterTo.
func WriteTo(s *types.Signature) bool { return copies(s, "io.Writer") }

func copies(s *types.Signature, end string) bool { return takes(s, end) && returns(s, "int64") }

// Transfer reports whether a signature is that of Read and Write.
func Transfer(s *types.Signature) bool { return takes(s, "[]byte") && returns(s, "int") }

func takes(s *types.Signature, what string) bool {
	p := s.Params()
	return p.Len() == 1 && !s.Variadic() && is(p.At(0).Type(), what)
}

func returns(s *types.Signature, count string) bool {
	r := s.Results()
	return r.Len() == 2 && is(r.At(0).Type(), count) && is(r.At(1).Type(), "error")
}

func is(t types.Type, name string) bool {
	if s, ok := types.Unalias(t).(*types.Slice); ok {
		return name == "[]byte" && types.Identical(s.Elem(), types.Typ[types.Byte])
	}
	return types.TypeString(types.Unalias(t), nil) == name
}

// WriteString reports whether a signature is that of io.StringWriter.
func WriteString(s *types.Signature) bool { return takes(s, "string") && returns(s, "int") }
