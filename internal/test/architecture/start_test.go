package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// beforeMain is how many functions of its own each package of the program calls before main, for all
// systems together: most choose a table of variants, or fill a small table. Every start pays for
// them, whatever is asked. TestStart of cmd/thresh counts what they allocate; a loop that allocates nothing is
// seen only here. Before a number is raised: can the table be filled when it is used first, by sync.OnceValue?
var beforeMain = map[string]int{
	"internal/input/decompress": 9,
	"internal/json/jsontext":    3,
	"internal/kernel/compare":   5,
	"internal/kernel/digits":    1,
	"internal/kernel/divide":    1,
	"internal/kernel/fields":    2,
	"internal/kernel/gather":    1,
	"internal/kernel/histogram": 3,
	"internal/kernel/inflate":   5,
	"internal/kernel/jsonscan":  3,
	"internal/kernel/literals":  2,
	"internal/kernel/minify":    3,
	"internal/kernel/nonzero":   1,
	"internal/kernel/pattern":   3,
	"internal/kernel/regex":     1,
	"internal/kernel/rows":      1,
	"internal/kernel/stats":     2,
	"internal/kernel/utf8":      3,
	"internal/kernel/words":     1,
	"internal/machine/cpu":      1,
	"internal/table/group":      2,
	"internal/table/key":        1,
	"serve":                     3,
}

// TestBeforeMain counts these calls, and init functions.
func TestBeforeMain(t *testing.T) {
	folders := map[string][]*ast.File{}
	linked := map[string]bool{}
	link(linked, packages(t), "cmd/thresh")
	for _, name := range files(t) {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || !linked[path.Dir(name)] {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		folders[path.Dir(name)] = append(folders[path.Dir(name)], file)
	}
	got := map[string]int{}
	for folder, files := range folders {
		if n := callsBeforeMain(files); n > 0 {
			got[folder] = n
		}
	}
	if !maps.Equal(got, beforeMain) {
		for folder := range folders {
			if got[folder] != beforeMain[folder] {
				t.Errorf("%s calls %d functions of its own before main, not %d", folder, got[folder], beforeMain[folder])
			}
		}
	}
	for folder := range beforeMain {
		if folders[folder] == nil {
			t.Errorf("%s is not part of the program", folder)
		}
	}
}

// link adds a package and all that it imports.
func link(linked map[string]bool, imports map[string][]string, folder string) {
	if linked[folder] {
		return
	}
	linked[folder] = true
	for _, i := range imports[folder] {
		link(linked, imports, i)
	}
}

// callsBeforeMain counts the init functions of a package, and the calls of functions of its own, named or
// not, in what its variables begin with.
func callsBeforeMain(files []*ast.File) (calls int) {
	own := map[string]bool{}
	var values []ast.Expr
	for _, file := range files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" {
					calls++
				} else if d.Recv == nil {
					own[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok && d.Tok == token.VAR {
						values = append(values, v.Values...)
					}
				}
			}
		}
	}
	for _, v := range values {
		ast.Inspect(v, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncLit); ok {
				return false // what is in it is called later, if at all
			}
			if c, ok := n.(*ast.CallExpr); ok {
				name, _ := ast.Unparen(c.Fun).(*ast.Ident)
				_, literal := ast.Unparen(c.Fun).(*ast.FuncLit)
				if literal || name != nil && own[name.Name] {
					calls++
				}
			}
			return true
		})
	}
	return calls
}
