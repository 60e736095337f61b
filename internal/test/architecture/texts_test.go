package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var flagInText = regexp.MustCompile(`--[a-z]`)

// commands are the folders of programs, and of what only they use. Their texts may name flags.
var commands = []string{"cmd/", "internal/command/", "internal/verbs/", "internal/blank/", "internal/journal/",
	"internal/preview/", "internal/test/", "lab/", "cluster/", "scripts/", "tools/", "vet/", "examples/", "internal/engine/enginetest/",
	"internal/input/decompress/decompresstest/"}

// TestLibraryNamesNoFlags: the texts of the library name fields and functions. The command line translates them.
func TestLibraryNamesNoFlags(t *testing.T) {
	for _, name := range files(t) {
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/") || ofCommand(name) {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join(root, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && flagInText.MatchString(text.Value) {
				t.Errorf("%s names a flag: %s", set.Position(text.Pos()), text.Value)
			}
			return true
		})
	}
}

// ofCommand reports whether a file belongs to a program.
func ofCommand(name string) bool {
	for _, folder := range commands {
		if strings.HasPrefix(filepath.ToSlash(name), folder) {
			return true
		}
	}
	return false
}
