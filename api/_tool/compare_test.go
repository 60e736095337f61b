package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"strings"
	"testing"
)

// typeCheck type-checks a package's source, which may import the standard library.
func typeCheck(t *testing.T, path, source string) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "source.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	p, err := config.Check(path, fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// stubsOf makes the stubs of one package.
func stubsOf(t *testing.T, path, source string) stubs {
	t.Helper()
	text, err := stubOf(typeCheck(t, path, source))
	if err != nil {
		t.Fatal(err)
	}
	return stubs{path: {"p", text}}
}

func importStandard(paths []string) (map[string]*types.Package, error) {
	found := map[string]*types.Package{}
	from := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for _, path := range paths {
		p, err := from.Import(path)
		if err != nil {
			return nil, err
		}
		found[path] = p
	}
	return found, nil
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name     string
		old, new string
		want     string // lines; empty if the APIs are the same
	}{
		{"function added", ``, `func F() {}`, "not recorded: F: added"},
		{"function removed", `func F() {}`, ``, "incompatible: F: removed"},
		{"parameter added", `func F() {}`, `func F(n int) {}`, "incompatible: F: changed from func() to func(int)"},
		{"parameter renamed", `func F(n int) {}`, `func F(bytes int) {}`,
			`not recorded: line 5 is "func F(bytes int)", not "func F(n int)"`},
		{"body changed", `func F() int { return 1 }`, `func F() int { return 2 }`, ""},
		{"field added", `type T struct{ A int }`, `type T struct{ A, B int }`, "not recorded: T.B: added"},
		{"field removed", `type T struct{ A, B int }`, `type T struct{ A int }`, "incompatible: T.B: removed"},
		{"field with another type", `type T struct{ A int }`, `type T struct{ A int64 }`,
			"incompatible: T.A: changed from int to int64"},
		{"tag changed", "type T struct{ A int `json:\"a\"` }", "type T struct{ A int `json:\"b\"` }",
			"not recorded: line 6 is \"\\tA int `json:\\\"b\\\"`\", not \"\\tA int `json:\\\"a\\\"`\""},
		{"unexported field replaced", `type T struct{ a int }`, `type T struct{ b *T; c string }`, ""},
		{"comparison lost", `type T struct{ a int }`, `type T struct{ a []int }`,
			"incompatible: T: old is comparable, new is not"},
		{"value of a constant", `const N = 1`, `const N = 2`, "incompatible: N: value changed from 1 to 2"},
		{"type of a constant", `const N = 1`, `const N int = 1`, "incompatible: N: changed from untyped int to int"},
		{"method added", `type T int`, "type T int\nfunc (T) M() {}", "not recorded: T.M: added"},
		{"method removed", "type T int\nfunc (T) M() {}", `type T int`, "incompatible: T.M: removed"},
		{"method moved to the pointer", "type T int\nfunc (T) M() {}", "type T int\nfunc (*T) M() {}",
			"incompatible: T.M: removed"},
		{"promoted method removed", "type t int\nfunc (t) M() {}\ntype T struct{ t }", `type T struct{ t int }`,
			"incompatible: T.M: removed"},
		{"interface method added", `type I interface{ A() }`, `type I interface{ A(); B() }`,
			"incompatible: I.B: added"},
		{"sealed interface method added", `type I interface{ A(); i() }`, `type I interface{ A(); B(); i() }`,
			"not recorded: I.B: added"},
		{"interface sealed", `type I interface{ A() }`, `type I interface{ A(); i() }`,
			"incompatible: I.isI: added unexported method"},
		{"sealed interface left", "type I interface{ i() }\ntype T int\nfunc (T) i() {}",
			"type I interface{ i() }\ntype T int", "incompatible: T: no longer implements I"},
	} {
		t.Run(c.name, func(t *testing.T) {
			kept := stubsOf(t, "x/p", "package p\n"+c.old)
			current := stubsOf(t, "x/p", "package p\n"+c.new)
			checkCompare(t, kept, current, c.want)
		})
	}
}

// checkCompare compares stubs and checks the lines that are printed below the name of the package.
func checkCompare(t *testing.T, kept, current stubs, want string) {
	t.Helper()
	var out strings.Builder
	differ, err := compare(&out, kept, current, importStandard)
	if err != nil {
		t.Fatal(err)
	}
	if want != "" {
		want = "x/p\n\t" + want + "\n"
	}
	if got := out.String(); got != want || differ != (want != "") {
		t.Errorf("differ = %v, printed\n%swant\n%s", differ, got, want)
	}
}

func TestComparePackages(t *testing.T) {
	some := stubsOf(t, "x/p", "package p\nimport \"io\"\nvar R io.Reader")
	checkCompare(t, some, some, "")
	checkCompare(t, stubs{}, some, "not recorded: package added")
	checkCompare(t, some, stubs{}, "incompatible: package removed")
}

// TestCompareImports compares packages of which one uses the types of the other.
func TestCompareImports(t *testing.T) {
	base := stub{"base", "package base // import \"x/base\"\ntype T int\n"}
	changed := stub{"base", "package base // import \"x/base\"\ntype T int64\n"}
	user := stub{"user", "package user // import \"x/user\"\nimport \"x/base\"\nfunc F(base.T)\n"}
	var out strings.Builder
	kept, current := stubs{"x/base": base, "x/user": user}, stubs{"x/base": changed, "x/user": user}
	differ, err := compare(&out, kept, current, importStandard)
	if err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !differ || got != "x/base\n\tnot recorded: T: changed from int to int64\n" {
		t.Errorf("differ = %v, printed\n%s", differ, got)
	}
}

// TestCompareUnusable checks that files which people broke are an error that says what to do.
func TestCompareUnusable(t *testing.T) {
	current := stubsOf(t, "x/p", "package p")
	for _, text := range []string{"package p\nfunc", "package p\nvar V missing", "package p\nimport _ \"x/other\""} {
		_, err := compare(&strings.Builder{}, stubs{"x/p": {"p", text}}, current,
			func([]string) (map[string]*types.Package, error) { return nil, nil })
		if err == nil || !strings.Contains(err.Error(), "make api") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// TestCompareKept has a kept file that differs in a package of others, which only the module knows.
func TestCompareKept(t *testing.T) {
	const root = "../.."
	kept, err := readStubs(root + "/api")
	if err != nil {
		t.Fatal(err)
	}
	current := maps.Clone(kept)
	found := ""
	for path, s := range kept {
		if strings.Contains(s.text, "register.LinterPlugin, error)") {
			s.text = strings.Replace(s.text, "register.LinterPlugin, error)", "register.LinterPlugin)", 1)
			current[path], found = s, path
		}
	}
	if found == "" {
		t.Fatal("no public package has a type of another module: use another one here")
	}
	var out strings.Builder
	differ, err := compare(&out, kept, current, others(root))
	want := found + "\n\tincompatible: New: changed from func(any) (github.com/golangci/plugin-module-register/register." +
		"LinterPlugin, error) to func(any) github.com/golangci/plugin-module-register/register.LinterPlugin\n"
	if err != nil || !differ || out.String() != want {
		t.Errorf("differ = %t, %v, printed\n%swant\n%s", differ, err, out.String(), want)
	}
}
