package method

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// std imports the standard library, each package once.
var std = importer.ForCompiler(token.NewFileSet(), "source", nil)

// check type-checks a file, and returns the pass that an analyzer would get.
func check(t *testing.T, src string) *analysis.Pass {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, 0)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	config := types.Config{Importer: std}
	pkg, err := config.Check("p", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return &analysis.Pass{Fset: fset, Files: []*ast.File{file}, Pkg: pkg, TypesInfo: info}
}

// last returns the body of a file's last function.
func last(pass *analysis.Pass) *ast.BlockStmt {
	decls := pass.Files[0].Decls
	return decls[len(decls)-1].(*ast.FuncDecl).Body
}

// text returns a guard as source; a select is only named.
func text(t *testing.T, fset *token.FileSet, n ast.Node) string {
	t.Helper()
	if _, ok := n.(*ast.SelectStmt); ok {
		return "select"
	}
	var b bytes.Buffer
	if err := format.Node(&b, fset, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestWalk asks for the guards of each call of at, in source order.
func TestWalk(t *testing.T) {
	for _, c := range []struct {
		body string
		want []string
	}{
		{`at()`, []string{""}},
		{`{ at() }`, []string{""}},
		{`if a { at() } else if b { at() } else { at() }; at()`, []string{"a", "a, b", "a, b", ""}},
		{`if at(); a { at() }`, []string{"", "a"}},
		{`if a { return }; at()`, []string{"a"}},
		{`if a { return } else { at() }`, []string{"a"}},
		{`if a { panic(1) }; at()`, []string{"a"}},
		{`if a { println(1) }; at()`, []string{""}},
		{`if a { return }; if b { at() }; at()`, []string{"a, b", "a"}},
		{`if a { if b { return }; at() }; at()`, []string{"a, a, b", "a, b"}},
		{`if a { if err != nil { return } }; at()`, []string{"err != nil"}}, // an error leaves, whatever a is
		{`if a { if err == nil { return } }; at()`, []string{"a, err == nil"}},
		{`if a { if other != nil { return } }; at()`, []string{"a, other != nil"}},
		{`for at(); a; { at() }; at()`, []string{"", "a", ""}},
		{`for { at(); if a { break } }; at()`, []string{"", "a"}},
		{`l: for a { at(); continue l }; at()`, []string{"a", "a"}},
		{`for range xs { at() }`, []string{"xs"}},
		{`switch n { case 1: at(); case 2: return; default: at() }; at()`, []string{"n, 1, 2", "n, 1, 2", "n, 1, 2"}},
		{`switch at(); { case a: at() }`, []string{"", "a"}},
		{`switch v := y.(type) { case int: _ = v; at() }; at()`, []string{"v := y.(type), int", ""}},
		{`select { case <-c: at(); default: return }; at()`, []string{"select", "select"}},
		{`f := func() { at() }; f()`, nil},
	} {
		pass := check(t, `package p
func at() {}
func f(a, b bool, err, other error, n int, xs []int, y any, c chan int) {`+c.body+`}`)
		var got []string
		Walk(last(pass), func(s ast.Stmt, guards []ast.Node) {
			if e, ok := s.(*ast.ExprStmt); ok && text(t, pass.Fset, e) == "at()" {
				var all []string
				for _, g := range guards {
					all = append(all, text(t, pass.Fset, g))
				}
				got = append(got, strings.Join(all, ", "))
			}
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: guards %q, want %q", c.body, got, c.want)
		}
	}
}

// places declares what the expressions of the next tests are about.
const places = `package p
import "io"
type inner struct{ n int }
type mid struct{ inner }
type outer struct {
	mid
	p *mid
	w io.Writer
}
type pointer *mid
type alias = outer
type box[T any] struct{ v T }
type shadow struct{}
func (shadow) len(int) int { return 0 }
func (m *mid) do() {}
func give() outer { return outer{} }
const constant = 1
func f(a, b int, xs []outer, c chan int, o outer, q *outer, x alias, pp pointer, g box[outer], s shadow, e any) {
`

// expression type-checks an expression, and returns it as the argument of a call.
func expression(t *testing.T, e string) (ast.Expr, *types.Info) {
	t.Helper()
	pass := check(t, places+"use("+e+")\n}\nfunc use(any) {}")
	var found ast.Expr
	ast.Inspect(pass.Files[0], func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && found == nil {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "use" {
				found = call.Args[0]
			}
		}
		return true
	})
	return found, pass.TypesInfo
}

func TestVariables(t *testing.T) {
	for _, c := range []struct {
		expr, vars string
		calls      bool
	}{
		{"a + b", "a b", false},
		{"a + len(xs)", "a xs", false},
		{"cap(xs) + (len)(xs)", "xs xs", false},
		{"min(a, b)", "a b", true},
		{"s.len(a)", "s a", true},
		{"int64(a)", "a", false},
		{"box[int]{a}.v", "a", false}, // a field is no variable
		{"<-c", "c", true},
		{"-a", "a", false},
		{"give().n", "", true},
		{"constant", "", false},
		{"func() int { return a }", "a", false},
	} {
		e, info := expression(t, c.expr)
		vars, calls := Variables(info, e)
		var names []string
		for _, v := range vars {
			names = append(names, v.Name())
		}
		if got := strings.Join(names, " "); got != c.vars || calls != c.calls {
			t.Errorf("%s: %q, calls %v", c.expr, got, calls)
		}
	}
	pass := check(t, "package p\nfunc f(c chan int) { select { case <-c: default: } }")
	if _, calls := Variables(pass.TypesInfo, last(pass).List[0]); !calls {
		t.Error("a select may be another one the next time")
	}
}

func (p Path) String() string {
	names := []string{p.Root.Name()}
	for _, f := range p.Fields {
		names = append(names, f.Name())
	}
	return strings.Join(names, ".")
}

func TestPathOf(t *testing.T) {
	for expr, want := range map[string]string{
		"o": "o", "(o)": "o", "o.p": "o.p", "&o.mid": "o.mid",
		"o.n": "o.mid.inner.n", "o.p.n": "o.p.inner.n", "(*q).p.inner": "q.p.inner", "q.w": "q.w", "*q": "q",
		"x.n": "x.mid.inner.n", "pp.n": "pp.inner.n", "g.v.p": "g.v.p", "io.EOF": "EOF",
		"give().n": "", "xs[0].n": "", "-a": "", "constant": "", "nil": "", "o.do": "", "e.(outer).n": "",
	} {
		e, info := expression(t, expr)
		p, ok := PathOf(info, e)
		if ok != (want != "") || ok && p.String() != want {
			t.Errorf("%s: %v, want %q", expr, ok, want)
			if ok {
				t.Log(p)
			}
		}
	}
	// A field of an instance is that of the generic type.
	a, infoA := expression(t, "g.v")
	p, _ := PathOf(infoA, a)
	if f := p.Fields[0]; f != f.Origin() {
		t.Error("the field of an instance is none of its origin")
	}
}

func TestHolder(t *testing.T) {
	for expr, want := range map[string]string{
		"o.p.do": "o.p", "o.do": "o.mid", "q.do": "q.mid", "q.w.Write": "q.w", "(&o).do": "o.mid", "q.w": "",
		"io.Copy": "", "xs[0].do": "",
	} {
		e, info := expression(t, expr)
		p, ok := Holder(info, e.(*ast.SelectorExpr))
		if ok != (want != "") || ok && p.String() != want {
			t.Errorf("%s: %v, want %q", expr, ok, want)
		}
	}
}

func TestJoin(t *testing.T) {
	v := func(name string) *types.Var { return types.NewVar(0, nil, name, types.Typ[types.Int]) }
	p := Path{v("x"), append(make([]*types.Var, 0, 8), v("a"))}
	q, r := p.Join(Path{v("y"), []*types.Var{v("b")}}), p.Join(Path{v("y"), []*types.Var{v("c")}})
	if q.String() != "x.a.b" || r.String() != "x.a.c" || p.String() != "x.a" {
		t.Errorf("%v, %v of %v", q, r, p)
	}
	if !q.Equal(q) || q.Equal(r) || q.Equal(p) || q.Equal(Path{v("x"), q.Fields}) {
		t.Error("paths are equal if variable and fields are")
	}
}

func TestSignatures(t *testing.T) {
	kinds := map[string]func(*types.Signature) bool{
		"ReadFrom": ReadFrom, "WriteTo": WriteTo, "Transfer": Transfer, "WriteString": WriteString,
	}
	for signature, want := range map[string]string{
		"(io.Reader) (int64, error)": "ReadFrom", "(r reader) (n int64, err error)": "ReadFrom",
		"(io.Writer) (int64, error)": "WriteTo",
		"([]byte) (int, error)":      "Transfer", "([]uint8) (int, error)": "Transfer", "(slice) (int, error)": "Transfer",
		"(string) (int, error)":  "WriteString",
		"(...byte) (int, error)": "", "(named) (int, error)": "", "([]int8) (int, error)": "", "([]byte) (int64, error)": "",
		"(io.Reader) (int, error)": "", "(io.Reader) int64": "", "(io.Reader, int) (int64, error)": "",
		"(io.Reader) (int64, bool)": "", "() (int64, error)": "", "(io.ReadWriter) (int64, error)": "",
		"(string) (int64, error)": "",
	} {
		pass := check(t, "package p\nimport \"io\"\ntype reader = io.Reader\ntype slice = []byte\ntype named []byte\nfunc f"+
			signature+" { panic(0) }\nvar _ io.Reader\n")
		s := pass.Pkg.Scope().Lookup("f").Type().(*types.Signature)
		for kind, is := range kinds {
			if is(s) != (kind == want) {
				t.Errorf("func%s is %s: %v", signature, kind, is(s))
			}
		}
	}
}

func TestSet(t *testing.T) {
	pass := check(t, `package p
import "io"
type first struct{ io.Writer; Close int }
type second[T any] struct{ v T }
type holder struct{ *second[int] }
type iface interface{ ReadFrom(io.Reader) (int64, error) }
func (s *second[T]) ReadFrom(io.Reader) (int64, error) { return 0, nil }
func (f first) ReadFrom(io.Reader) (int64, error) { return 0, nil }
func (_ first) Write(p []byte) (int, error) { return 0, nil }
func (first) Read(p []byte) (int, error) { return 0, nil }
func (p *third) ReadFrom(b []byte) (int, error) { return 0, nil }
type third struct{}
func ReadFrom(io.Reader) (int64, error) { return 0, nil }
var instance second[string]
`)
	s := Of(pass)
	var found []string
	for _, m := range s.Named("ReadFrom", ReadFrom) {
		found = append(found, m.Recv.Name()+" "+types.TypeString(m.Recv.Type(), types.RelativeTo(pass.Pkg)))
	}
	if want := []string{"s *second[T]", "f first"}; !slices.Equal(found, want) {
		t.Errorf("ReadFrom of %q, want %q", found, want)
	}
	for _, name := range []string{"Write", "Read"} {
		if m := s.Named(name, Transfer); len(m) != 1 || m[0].Recv != nil {
			t.Errorf("%s: %v", name, m)
		}
	}
	typ := func(name string) types.Type { return pass.Pkg.Scope().Lookup(name).Type() }
	for _, c := range []struct {
		of          types.Type
		name        string
		has, bodied bool
	}{
		{typ("first"), "Write", true, true},
		{types.NewPointer(typ("first")), "Write", true, true},
		{typ("third"), "ReadFrom", true, true}, // of a pointer to it
		{typ("instance"), "ReadFrom", true, true},
		{typ("holder"), "ReadFrom", true, true},
		{typ("iface"), "ReadFrom", true, false},
		{typ("first"), "Close", false, false}, // a field
		{typ("third"), "Write", false, false},
	} {
		f := Lookup(c.of, pass.Pkg, c.name)
		if (f != nil) != c.has || (s.Decl(f) != nil) != c.bodied {
			t.Errorf("%v.%s: %v", c.of, c.name, f)
		}
	}
}
