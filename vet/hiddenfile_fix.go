package vet

import (
	"go/ast"
	"go/constant"
	"go/types"
	"io/fs"
	"path"
	"strconv"

	"golang.org/x/tools/go/analysis"

	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// mendAdapter says what to use in the place of a call that hides the files of a file system of package
// os, and how to replace it where nothing else changes by that. os.DirFS("") opens nothing, and
// http.Dir("") opens the current directory, so the name has to be a constant.
func mendAdapter(pass *analysis.Pass, name, from string, call *ast.CallExpr) (string, *analysis.SuggestedFix) {
	if from != "os.DirFS" {
		return "open them by (*os.Root).Open and hand them to http.ServeContent", nil
	}
	mend := map[string]string{
		"http.FS":           "use http.Dir(…)",
		"http.FileServerFS": "use http.FileServer(http.Dir(…))",
		"http.ServeFileFS":  "use http.ServeFile, which does not keep a name inside of the directory",
	}[name]
	if call == nil {
		return mend, nil
	}
	pkg := qualifier(call.Fun)
	arg := call.Args[min(len(call.Args)-1, 2)]
	if name != "http.ServeFileFS" {
		arg = call.Args[0]
	}
	dirFS, ok := ast.Unparen(arg).(*ast.CallExpr)
	if pkg == "" || !ok || !isFunc(pass, dirFS, "os.DirFS") {
		return mend, nil
	}
	dir, known := constantString(pass, dirFS.Args[0])
	if !known || dir == "" {
		return mend, nil
	}
	fix := &analysis.SuggestedFix{Message: "Serve an http.Dir"}
	open, shut := pkg+".Dir(", ")"
	switch name {
	case "http.FileServerFS":
		open, shut = pkg+".FileServer("+open, shut+")"
	case "http.FS":
		if !isArgument(pass, call) {
			open, shut = pkg+".FileSystem("+open, shut+")"
		}
	case "http.ServeFileFS":
		return mend, fixServeFile(pass, call, dir)
	}
	fix.TextEdits = []analysis.TextEdit{
		replace(call.Pos(), dirFS.Args[0].Pos(), open),
		replace(dirFS.Args[0].End(), call.End(), shut),
	}
	return mend, fix
}

// fixServeFile replaces http.ServeFileFS by http.ServeFile if the file's name is constant, too: the one
// stays in its directory, the other goes where the name says.
func fixServeFile(pass *analysis.Pass, call *ast.CallExpr, dir string) *analysis.SuggestedFix {
	name, known := constantString(pass, call.Args[3])
	if !known || !fs.ValidPath(name) {
		return nil
	}
	return &analysis.SuggestedFix{
		Message: "Serve the file by its name",
		TextEdits: []analysis.TextEdit{
			replace(call.Fun.Pos(), call.Fun.End(), qualifier(call.Fun)+".ServeFile"),
			replace(call.Args[2].Pos(), call.Args[3].End(), strconv.Quote(path.Join(dir, name))),
		},
	}
}

// constantString returns the value of a constant expression.
func constantString(pass *analysis.Pass, e ast.Expr) (string, bool) {
	v := pass.TypesInfo.Types[e].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// isArgument reports whether an expression is handed to a function that takes an http.FileSystem.
func isArgument(pass *analysis.Pass, e *ast.CallExpr) bool {
	_, around := exprAt(pass, e.Lparen)
	if len(around) == 0 {
		return false
	}
	call, ok := around[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := pass.TypesInfo.TypeOf(call.Fun).(*types.Signature)
	if !ok || s.Variadic() {
		return false
	}
	for i, arg := range call.Args {
		if arg == e && i < s.Params().Len() {
			return shape.Is(s.Params().At(i).Type(), "net/http.FileSystem")
		}
	}
	return false
}
