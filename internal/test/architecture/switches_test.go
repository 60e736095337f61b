package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// kinds are types whose constants name the rows of a table. What depends on the kind is a field of its row: a switch
// in another package would have to be found by everybody who adds one.
var kinds = []struct{ folder, typ string }{
	{"internal/input/decompress", "Format"}, {"options", "Engine"}, {"question", "ValueType"}, {"wall", "Wall"},
	{"receipt", "Wall"},
}

// kindsMost is how many constants of a kind a switch may tell apart outside its package.
const kindsMost = 2

// TestKindsAreRows looks for switches over the kinds outside their packages.
func TestKindsAreRows(t *testing.T) {
	constants := make([][]string, len(kinds))
	for i, k := range kinds {
		if constants[i] = constantsOf(t, k.folder, k.typ); len(constants[i]) <= kindsMost {
			t.Errorf("%s.%s has the constants %q", k.folder, k.typ, constants[i])
		}
	}
	for _, name := range files(t) {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || otherModule(path.Dir(name)) {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join(root, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SwitchStmt); ok {
				for i, k := range kinds {
					if found := distinguished(s, file, k.folder, constants[i]); len(found) > kindsMost {
						t.Errorf("%s tells %s of %s apart: what they differ in is for their rows",
							set.Position(s.Pos()), strings.Join(found, ", "), k.folder)
					}
				}
			}
			return true
		})
	}
}

// constantsOf returns the constants of a type, as far as they are declared with it, or follow one that is.
func constantsOf(t *testing.T, folder, typ string) (names []string) {
	t.Helper()
	for _, name := range files(t) {
		if path.Dir(name) != folder || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			last := ""
			for _, s := range group.Specs {
				c := s.(*ast.ValueSpec)
				if own, ok := c.Type.(*ast.Ident); ok {
					last = own.Name
				} else if len(c.Values) > 0 {
					last = ""
				}
				for _, n := range c.Names {
					if last == typ && n.IsExported() {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

// distinguished returns which of the constants of another package the cases of a switch name.
func distinguished(s *ast.SwitchStmt, file *ast.File, folder string, names []string) (found []string) {
	imported := module
	if folder != "." {
		imported += "/" + folder
	}
	local := ""
	for _, i := range file.Imports {
		if i.Path.Value == `"`+imported+`"` {
			if local = path.Base(imported); i.Name != nil {
				local = i.Name.Name
			}
		}
	}
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			ast.Inspect(e, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, ok := sel.X.(*ast.Ident); ok && local != "" && x.Name == local && slices.Contains(names, sel.Sel.Name) &&
					!slices.Contains(found, sel.Sel.Name) {
					found = append(found, sel.Sel.Name)
				}
				return true
			})
		}
	}
	return found
}
