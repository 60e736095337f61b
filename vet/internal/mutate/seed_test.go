package mutate

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
)

// seed is a file with a copy that keeps the path. It imports the standard library only.
type seed struct {
	name string // of the file
	what string // its first comment: the case of package zerocopy, or the wrapper
	src  []byte
	fset *token.FileSet
	file *ast.File
	info *types.Info
}

// loadSeeds reads and checks the files of a folder.
func loadSeeds(folder string) (seeds []*seed, err error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	std := importer.ForCompiler(fset, "source", nil)
	for _, name := range names {
		s := &seed{name: filepath.Base(name), fset: fset}
		if s.src, err = os.ReadFile(name); err != nil {
			return nil, err
		}
		if s.file, err = parser.ParseFile(fset, name, s.src, parser.ParseComments|parser.SkipObjectResolution); err != nil {
			return nil, err
		}
		s.info = &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		}
		config := types.Config{Importer: std}
		if _, err := config.Check("seed", fset, []*ast.File{s.file}, s.info); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(s.file.Comments) > 0 && s.file.Comments[0].Pos() < s.file.Package {
			s.what = s.file.Comments[0].Text()
		}
		seeds = append(seeds, s)
	}
	return seeds, nil
}

// text returns the source of a node.
func (s *seed) text(n ast.Node) string { return string(s.src[s.offset(n.Pos()):s.offset(n.End())]) }

func (s *seed) offset(p token.Pos) int { return s.fset.Position(p).Offset }

// called returns the full name of the function or method that a call calls.
func (s *seed) called(c *ast.CallExpr) string {
	var id *ast.Ident
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	}
	if f, ok := s.info.Uses[id].(*types.Func); ok {
		return f.FullName()
	}
	return ""
}

// calls returns the calls of a function by its full name.
func (s *seed) calls(name string) (found []*ast.CallExpr) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && s.called(c) == name {
			found = append(found, c)
		}
		return true
	})
	return found
}

// typeOf returns the type of an expression as a text: "*os.File".
func (s *seed) typeOf(e ast.Expr) string { return types.TypeString(s.info.Types[e].Type, nil) }

// methods returns the methods of that name that the file declares.
func (s *seed) methods(name string) (found []*ast.FuncDecl) {
	for _, d := range s.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == name {
			found = append(found, f)
		}
	}
	return found
}

// receiver returns the type of a method's receiver, and the receiver's name.
func (s *seed) receiver(f *ast.FuncDecl) (t types.Type, name string) {
	recv := f.Recv.List[0]
	return s.info.Types[recv.Type].Type, recv.Names[0].Name
}

// has reports whether a type has a method of that name, its own or promoted.
func has(t types.Type, method string) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, method)
	_, ok := obj.(*types.Func)
	return ok
}

// isResponse and isConn report what a type is by its methods.
func isResponse(t types.Type) bool { return has(t, "WriteHeader") && has(t, "Header") }
func isConn(t types.Type) bool     { return has(t, "SetDeadline") && has(t, "RemoteAddr") }
