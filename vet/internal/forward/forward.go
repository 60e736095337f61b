// Package forward writes the method that a wrapper lacks: a ReadFrom or WriteTo that hands the copy to the
// inner value, and does what the wrapper's Write or Read does before and after.
//
// The method is made from Write, or Read. Statements before the inner call stay as they are if they don't
// mention the bytes; those after it may use the number of bytes, which is now an int64. Where that is not
// enough, as for a deadline or a limit, which is meant for each call and not for a whole file, there is no
// fix.
package forward

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/go/analysis"

	"github.com/thresh-dev/thresh/vet/internal/finding"
	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// pair are the two methods that go together.
type pair struct {
	name, from string // the method to write, and the one that it is made from
	param, typ string // its parameter
	copy       string // the call that copies, with the inner value for %s
}

var pairs = map[string]pair{
	"ReadFrom": {"ReadFrom", "Write", "src", "io.Reader", "io.Copy(%s, src)"},
	"WriteTo":  {"WriteTo", "Read", "dst", "io.Writer", "io.Copy(dst, %s)"},
}

// Fixes returns the fix that adds those of the methods "ReadFrom" and "WriteTo" that are asked for to typ, a
// wrapper of this package, or a pointer to one; none if one of them can't be written mechanically.
func Fixes(pass *analysis.Pass, typ types.Type, w *shape.Wrapper, methods ...string) []analysis.SuggestedFix {
	elem, byPointer := typ, false
	if p, ok := types.Unalias(typ).(*types.Pointer); ok {
		elem, byPointer = p.Elem(), true
	}
	named, ok := types.Unalias(elem).(*types.Named)
	if !ok {
		return nil
	}
	tn := named.Origin().Obj()
	t := find(pass, tn)
	if t == nil {
		return nil
	}
	t.wrapper, t.byPointer = w, byPointer
	io, imports := finding.Import(pass, tn.Pos(), "io")
	var edits []analysis.TextEdit
	for _, name := range methods {
		text, at, ok := t.write(pairs[name])
		if !ok {
			return nil
		}
		edits = append(edits, analysis.TextEdit{Pos: at, End: at, NewText: ofIO.ReplaceAll(text, []byte(io+".$1"))})
	}
	edits = append(edits, imports...)
	what := fmt.Sprintf("add %s to %s", strings.Join(methods, " and "), tn.Name())
	return []analysis.SuggestedFix{{Message: what, TextEdits: edits}}
}

// ofIO matches what a new method takes from package io.
var ofIO = regexp.MustCompile(`\bio\.(Copy|Reader|Writer)\b`)

// declared is a type and its methods in the syntax.
type declared struct {
	pass    *analysis.Pass
	name    *types.TypeName
	file    *ast.File
	decl    *ast.GenDecl
	spec    *ast.TypeSpec
	methods map[string]*ast.FuncDecl
	wrapper *shape.Wrapper

	byPointer bool // it is a pointer that is used
}

// find finds a type of the package level; nil if it is none.
func find(pass *analysis.Pass, tn *types.TypeName) *declared {
	t := &declared{pass: pass, name: tn, methods: map[string]*ast.FuncDecl{}}
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok && pass.TypesInfo.Defs[s.Name] == tn {
						t.file, t.decl, t.spec = file, d, s
					}
				}
			case *ast.FuncDecl:
				f, _ := pass.TypesInfo.Defs[d.Name].(*types.Func)
				if f != nil && d.Recv != nil && receives(f, tn) && d.Body != nil {
					t.methods[d.Name.Name] = d
				}
			}
		}
	}
	if t.spec == nil {
		return nil
	}
	return t
}

// receives reports whether f is a method of tn.
func receives(f *types.Func, tn *types.TypeName) bool {
	r := f.Signature().Recv().Type()
	if p, ok := r.(*types.Pointer); ok {
		r = p.Elem()
	}
	named, ok := r.(*types.Named)
	return ok && named.Origin().Obj() == tn
}

// write returns the text of a method and where it belongs; false if it can't be written.
func (t *declared) write(p pair) (text []byte, at token.Pos, ok bool) {
	var b bytes.Buffer
	const doc = "// %s leaves the copy to %s, which need not take the bytes through memory.\n"
	fmt.Fprintf(&b, doc, p.name, t.wrapper.Field)
	from, own := t.methods[p.from]
	if own {
		d := &draft{t: t, pair: p, from: from}
		if !d.compose() {
			return nil, 0, false
		}
		recv := from.Recv.List[0]
		fmt.Fprintf(&b, "func (%s %s) %s(%s %s) %s {\n%s}",
			recv.Names[0].Name, d.text(recv.Type), p.name, p.param, p.typ, d.results(), d.body.String())
		at = from.End()
	} else {
		name, typ := t.receiver()
		if name == "" || name == p.param {
			return nil, 0, false
		}
		fmt.Fprintf(&b, "func (%s %s) %s(%s %s) (int64, error) {\n\treturn %s\n}",
			name, typ, p.name, p.param, p.typ, strings.Replace(p.copy, "%s", name+"."+t.wrapper.Field, 1))
		at = t.decl.End()
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		return nil, 0, false
	}
	return append([]byte("\n\n"), text...), t.lineEnd(at), true
}

// lineEnd returns the end of the comment that stands behind p in its line; p if there is none.
func (t *declared) lineEnd(p token.Pos) token.Pos {
	for _, group := range t.file.Comments {
		if group.Pos() >= p && t.pass.Fset.Position(group.Pos()).Line == t.pass.Fset.Position(p).Line {
			return group.List[0].End()
		}
	}
	return p
}

// receiver returns name and type of the receiver of a new method, as in the type's other methods if it
// has some. A type that is used by value needs a method of the value. The name is "" if none is free.
func (t *declared) receiver() (name, typ string) {
	name, typ = strings.ToLower(t.name.Name()[:1]), t.name.Name()
	if name == "_" || name[0] >= utf8.RuneSelf {
		return "", ""
	}
	if t.spec.TypeParams != nil {
		var params []string
		for _, f := range t.spec.TypeParams.List {
			for _, n := range f.Names {
				params = append(params, n.Name)
			}
		}
		typ += "[" + strings.Join(params, ", ") + "]"
	}
	pointer := t.byPointer
	for _, d := range t.sorted() {
		recv := d.Recv.List[0]
		if len(recv.Names) == 1 && recv.Names[0].Name != "_" {
			_, isPointer := recv.Type.(*ast.StarExpr)
			name, pointer = recv.Names[0].Name, isPointer && t.byPointer
			break
		}
	}
	if pointer {
		typ = "*" + typ
	}
	return name, typ
}

// sorted returns the methods in source order.
func (t *declared) sorted() []*ast.FuncDecl {
	return slices.SortedFunc(maps.Values(t.methods), func(a, b *ast.FuncDecl) int { return int(a.Pos() - b.Pos()) })
}

// source returns the source of a node.
func source(fset *token.FileSet, n ast.Node) string {
	var b bytes.Buffer
	if err := format.Node(&b, fset, n); err != nil {
		return ""
	}
	return b.String()
}
