package forward

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// std imports the standard library, each package once.
var std = importer.ForCompiler(token.NewFileSet(), "source", nil)

// check type-checks a file, and returns the pass that an analyzer would get.
func check(t *testing.T, src string) *analysis.Pass {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
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

// prelude is in each source that is written here, after the package clause.
const prelude = `
import "io"

type total struct{ n int64 }

func (t *total) Add(n int64) int64 { t.n += n; return t.n }

func note(...any) {}

type base struct {
	in io.ReadWriter
	n  int
	k  int64
	t  total
	f  func()
}

func (b *base) touch() error { return nil }

func (b *base) ready() error { return nil }

`

// fixed returns the source with the fix for variable v of it, and the text that the fix adds for methods;
// "" if there is no fix. What comes out must compile.
func fixed(t *testing.T, src, field string, methods ...string) (after, added string) {
	t.Helper()
	pass := check(t, src)
	fixes := Fixes(pass, pass.Pkg.Scope().Lookup("v").Type(), &shape.Wrapper{Field: field}, methods...)
	if len(fixes) == 0 {
		return src, ""
	}
	edits := slices.Clone(fixes[0].TextEdits)
	slices.SortStableFunc(edits, func(a, b analysis.TextEdit) int { return int(b.Pos - a.Pos) })
	after = src
	for _, e := range edits {
		at := pass.Fset.Position(e.Pos).Offset
		after = after[:at] + string(e.NewText) + after[at:]
	}
	check(t, after)
	for _, e := range fixes[0].TextEdits {
		added += string(e.NewText)
	}
	return after, added
}

// TestWrite writes ReadFrom from the body of Write; "" where it can't be.
func TestWrite(t *testing.T) {
	const results = "(int64, error)"
	for _, c := range []struct{ name, write, results, want string }{
		{"forwards", `return w.in.Write(p)`, results, `return io.Copy(w.in, src)`},
		{"counts an int", "n, err := w.in.Write(p)\nw.n += n\nreturn n, err", results,
			"n, err := io.Copy(w.in, src)\nw.n += int(n)\nreturn n, err"},
		{"counts an int64", "n, err := w.in.Write(p)\nw.k += int64(n)\nreturn n, err", results,
			"n, err := io.Copy(w.in, src)\nw.k += n\nreturn n, err"},
		{"counts by a method", "n, err := w.in.Write(p)\nw.t.Add(int64(n))\nreturn n, err", results,
			"n, err := io.Copy(w.in, src)\nw.t.Add(n)\nreturn n, err"},
		{"counts before", "w.n += len(p)\nreturn w.in.Write(p)", results,
			"n, err := io.Copy(w.in, src)\nw.n += int(n)\nreturn n, err"},
		{"counts before, converted", "w.k += int64(len(p))\nk, err := w.in.Write(p)\nreturn k, err", results,
			"k, err := io.Copy(w.in, src)\nw.k += k\nreturn k, err"},
		{"asks whether it may", "if err := w.ready(); err != nil {\nreturn 0, err\n}\nreturn w.in.Write(p)", results,
			"if err := w.ready(); err != nil {\n\t\treturn 0, err\n\t}\n\treturn io.Copy(w.in, src)"},
		{"compares", "n, err := w.in.Write(p)\nif n > 0 {\nw.f()\n}\nreturn n, err", results,
			"n, err := io.Copy(w.in, src)\nif n > 0 {\n\t\tw.f()\n\t}\n\treturn n, err"},
		{"closure before", "w.f = func() { w.k++ }\nreturn w.in.Write(p)", results,
			"w.f = func() { w.k++ }\nreturn io.Copy(w.in, src)"},

		{"renews a deadline", "w.touch()\nreturn w.in.Write(p)", "", ""},
		{"looks at the bytes before", "note(p)\nreturn w.in.Write(p)", "", ""},
		{"looks at the bytes after", "n, err := w.in.Write(p)\nnote(p)\nreturn n, err", "", ""},
		{"touches after", "n, err := w.in.Write(p)\nw.touch()\nreturn n, err", "", ""},
		{"a part of the bytes", "return w.in.Write(p[1:])", "", ""},
		{"another value", "return w.other.Write(p)", "", ""},
		{"another method", "return w.in.Read(p)", "", ""},
		{"in a closure", "var n int\nvar err error\nfunc() { n, err = w.in.Write(p) }()\nreturn n, err", "", ""},
		{"closure after", "n, err := w.in.Write(p)\nw.f = func() { note(n) }\nreturn n, err", "", ""},
		{"drops the number", "_, err := w.in.Write(p)\nreturn 0, err", "", ""},
		{"another number before", "if w.n > 0 {\nreturn w.n, nil\n}\nreturn w.in.Write(p)", "", ""},
		{"another number after", "n, err := w.in.Write(p)\nif err != nil {\nreturn w.n, err\n}\nreturn n, err", "", ""},
		{"passes the number", "n, err := w.in.Write(p)\nnote(n)\nreturn n, err", "", ""},
		{"reckons with it", "n, err := w.in.Write(p)\nw.n += n * 2\nreturn n, err", "", ""},
		{"compares with a variable", "n, err := w.in.Write(p)\nif n < w.n {\nw.f()\n}\nreturn n, err", "", ""},
		{"src is taken", "src := 1\nnote(src)\nreturn w.in.Write(p)", "", ""},
		{"io is taken", "io := 1\nnote(io)\nreturn w.in.Write(p)", "", ""},
		{"n is taken", "n := 1\nw.n += len(p)\nw.n += n\nreturn w.in.Write(p)", "", ""},
	} {
		src := "package p\n" + prelude + "type w struct {\n\tbase\n\tother io.Writer\n}\n\nvar v *w\n\n" +
			"func (w *w) Write(p []byte) (int, error) {\n" + c.write + "\n}\n"
		_, added := fixed(t, src, "in", "ReadFrom")
		if c.want == "" {
			if added != "" {
				t.Errorf("%s: %s", c.name, added)
			}
			continue
		}
		want := "func (w *w) ReadFrom(src io.Reader) " + c.results + " {\n" + c.want + "\n}"
		if got := lines(added); !strings.HasSuffix(got, lines(want)) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, lines(want))
		}
	}
}

// lines returns a text without indents.
func lines(s string) string {
	var all []string
	for l := range strings.Lines(s) {
		all = append(all, strings.TrimSpace(l))
	}
	return strings.Join(all, "\n")
}

// TestReceiver writes methods for all kinds of types; want is in the source with the fix, "" if there is none.
func TestReceiver(t *testing.T) {
	for _, c := range []struct{ name, src, field, methods, want string }{
		{"promoted", "type rec struct{ io.Writer }\nvar v *rec", "Writer", "ReadFrom",
			"func (r *rec) ReadFrom(src io.Reader) (int64, error) {\n\treturn io.Copy(r.Writer, src)\n}"},
		{"a value", "type rec struct{ io.Writer }\nvar v rec", "Writer", "ReadFrom", "func (r rec) ReadFrom("},
		{"a value with methods of the pointer", "type rec struct{ io.Writer }\nfunc (x *rec) Close() {}\nvar v rec", "Writer",
			"ReadFrom", "func (x rec) ReadFrom("},
		{"a pointer with methods of the value", "type rec struct{ io.Writer }\nfunc (x rec) Close() {}\nvar v *rec", "Writer",
			"ReadFrom", "func (x rec) ReadFrom("},
		{"named as in the first method with a name", "type rec struct{ io.Writer }\nfunc (*rec) A() {}\nfunc (_ *rec) B() {}\n" +
			"func (y *rec) C() {}\nfunc (z *rec) D() {}\nvar v *rec", "Writer", "ReadFrom", "func (y *rec) ReadFrom("},
		{"generic", "type rec[T io.Writer, K any] struct{ in T; k K }\nfunc (x *rec[A, B]) Write(p []byte) (int, error) {\n" +
			"return x.in.Write(p)\n}\nvar v *rec[io.Writer, int]", "in", "ReadFrom",
			"func (x *rec[A, B]) ReadFrom(src io.Reader) (int64, error) {\n\treturn io.Copy(x.in, src)\n}"},
		{"generic, promoted", "type of[T any] struct{ io.Writer; v T }\nvar v *of[int]", "Writer", "ReadFrom",
			"func (o *of[T]) ReadFrom("},
		{"an alias", "type rec struct{ io.Writer }\ntype other = *rec\nvar v other", "Writer", "ReadFrom",
			"func (r *rec) ReadFrom("},
		{"WriteTo", "type rec struct{ io.Reader; n int }\nfunc (r *rec) Read(p []byte) (n int, err error) {\n" +
			"n, err = r.Reader.Read(p)\nr.n += n\nreturn\n}\nvar v *rec", "Reader", "WriteTo",
			"func (r *rec) WriteTo(dst io.Writer) (n int64, err error) {\n\tn, err = io.Copy(dst, r.Reader)\n\tr.n += int(n)\n\treturn\n}"},
		{"both", "type rec struct{ io.ReadWriter }\nvar v *rec", "ReadWriter", "ReadFrom WriteTo",
			"func (r *rec) WriteTo(dst io.Writer) (int64, error) {\n\treturn io.Copy(dst, r.ReadWriter)\n}"},
		{"behind a comment", "type rec struct{ io.Writer } // a comment\nvar v *rec", "Writer", "ReadFrom",
			"// a comment\n\n// ReadFrom leaves the copy to Writer"},

		{"one of both", "type rec struct{ io.ReadWriter }\nfunc (r *rec) Read(p []byte) (int, error) { return len(p), nil }\nvar v *rec",
			"ReadWriter", "ReadFrom WriteTo", ""},
		{"no name of the receiver", "type rec struct{ io.Writer }\nvar inner io.Writer\n" +
			"func (*rec) Write(p []byte) (int, error) { return inner.Write(p) }\nvar v *rec", "Writer", "ReadFrom", ""},
		{"a name that is blank", "type rec struct{ io.Writer }\n" +
			"func (r *rec) Write(_ []byte) (int, error) { return 0, nil }\nvar v *rec", "Writer", "ReadFrom", ""},
		{"no letter", "type _rec struct{ io.Writer }\nvar v *_rec", "Writer", "ReadFrom", ""},
		{"no ASCII", "type étage struct{ io.Writer }\nvar v *étage", "Writer", "ReadFrom", ""},
		{"no name", "var v struct{ io.Writer }", "Writer", "ReadFrom", ""},
		{"of another package", "var v *io.PipeWriter", "p", "ReadFrom", ""},
	} {
		after, added := fixed(t, "package p\n"+prelude+c.src+"\n", c.field, strings.Fields(c.methods)...)
		if (added == "") != (c.want == "") || !strings.Contains(after, c.want) {
			t.Errorf("%s: added\n%s\nwant\n%s", c.name, added, c.want)
		}
	}
}

// TestLocal has a type of a function, which can't have methods.
func TestLocal(t *testing.T) {
	pass := check(t, "package p\nimport \"io\"\nfunc f() {\n\ttype rec struct{ io.Writer }\n\t_ = rec{}\n}\n")
	for id, obj := range pass.TypesInfo.Defs {
		if id.Name == "rec" {
			if fixes := Fixes(pass, obj.Type(), &shape.Wrapper{Field: "Writer"}, "ReadFrom"); fixes != nil {
				t.Error(fixes)
			}
			return
		}
	}
	t.Fatal("no type")
}

// TestImports adds the import of io only where the file has none by that name.
func TestImports(t *testing.T) {
	const rec = "type rec struct{ Writer }\n\ntype Writer interface{ Write([]byte) (int, error) }\n\nvar v *rec\n"
	for imports, want := range map[string]string{
		"":                                      "package p\n\nimport \"io\"",
		"import \"errors\"\nvar _ = errors.New": "package p\n\nimport \"io\"",
		"import (\n\t\"errors\"\n)\nvar _ = errors.New":                           "import (\n\t\"io\"\n\t\"errors\"\n)",
		"import stdio \"io\"\nvar _ stdio.Reader":                                 "stdio.Copy(r.Writer, src)",
		"import \"io\"\nvar _ io.Reader":                                          "package p\n\nimport \"io\"\nvar _",
		"import (\n\t\"io\"\n\t\"errors\"\n)\nvar _ = errors.New(io.EOF.Error())": "import (\n\t\"io\"\n\t\"errors\"\n)",
	} {
		after, _ := fixed(t, "package p\n\n"+imports+"\n\n"+rec, "Writer", "ReadFrom")
		if !strings.Contains(after, want) || strings.Count(after, "\"io\"") > 2 || !strings.Contains(after, "func (r *rec) ReadFrom") {
			t.Errorf("%s:\n%s", imports, after)
		}
	}
}
