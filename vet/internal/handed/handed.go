// Package handed finds the wrappers that a package hands on: responses to code which may send a file to
// them, as handlers, the functions of net/http that serve files, and copies; connections from the Accept of
// a listener.
//
// It works on syntax and types alone, so that packages that only have middleware need no SSA form.
package handed

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// Handler is what gets a response that is handed to a handler, which may serve files or not.
const Handler = "a handler"

// Handing is a response that is handed on.
type Handing struct {
	Pos token.Pos // of the response
	To  string    // what gets it: "io.Copy", Handler
	Own bool      // the package makes it itself
	// Type is the response's type, one that may be there. It is nil if another package made it: then only
	// Wrapper and Name are known.
	Type    types.Type
	Wrapper *shape.Wrapper
	Name    string // of the type: "*lib.Recorder"

	inner ast.Expr // what another package put into it; nil if that isn't known
}

// Responses returns what a package hands on, if it is a wrapper. A response that may be several wrappers is
// a Handing of each.
func Responses(pass *analysis.Pass, shapes *shape.Shapes) (list []Handing) {
	if !imports(pass.Pkg, "net/http") {
		return nil
	}
	r := newResolver(pass, shapes)
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if to, i := r.receiver(call); to != "" {
					list = append(list, r.handings(call.Args[i], to)...)
				}
			}
			return true
		})
	}
	return list
}

func imports(p *types.Package, path string) bool {
	return slices.ContainsFunc(p.Imports(), func(i *types.Package) bool { return i.Path() == path })
}

// servers are the functions that send a file to a response, and the argument that it is.
var servers = map[string]int{
	"net/http.ServeContent": 0, "net/http.ServeFile": 0, "net/http.ServeFileFS": 0,
}

// receiver says what a call hands a response to, and which argument it is; "" if it hands on none.
func (r *resolver) receiver(call *ast.CallExpr) (to string, arg int) {
	f := r.callee(call)
	if i, ok := servers[shape.FullName(f)]; ok && i < len(call.Args) {
		return f.Pkg().Name() + "." + f.Name(), i
	}
	switch name := shape.FullName(f); name {
	case "io.Copy", "io.CopyN", "io.CopyBuffer":
		if len(call.Args) >= 2 && r.isFile(call.Args[1]) {
			return name, 0
		}
		return "", 0
	}
	if f != nil && (f.Name() != "ServeHTTP" || r.copiesItself(call)) || r.info.Types[call.Fun].IsType() {
		return "", 0
	}
	// A function value, perhaps of a type with a name, as http.HandlerFunc.
	s, ok := r.info.TypeOf(call.Fun).Underlying().(*types.Signature)
	if ok && isHandler(s) && len(call.Args) >= 2 {
		return Handler, 0
	}
	return "", 0
}

// isHandler reports whether a function with this signature handles a request. It may get more than response
// and request, as parameters of a route. One that gets a value of any type is an encoder.
func isHandler(s *types.Signature) bool {
	p := s.Params()
	for i := 2; i < p.Len(); i++ {
		if t, ok := p.At(i).Type().Underlying().(*types.Interface); ok && t.Empty() {
			return false
		}
	}
	return p.Len() >= 2 && shape.Is(p.At(0).Type(), "net/http.ResponseWriter") &&
		shape.Is(p.At(1).Type(), "*net/http.Request")
}

// copiesItself reports whether a call of ServeHTTP is that of a handler of the standard library which never
// sends a file.
func (r *resolver) copiesItself(call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	return ok && shape.Is(r.info.TypeOf(sel.X), "*net/http/httputil.ReverseProxy")
}

// isFile reports whether e is a file by its type.
func (r *resolver) isFile(e ast.Expr) bool {
	t := r.info.TypeOf(e)
	return shape.Is(t, "*os.File") || shape.Is(t, "net/http.File") || shape.Is(t, "io/fs.File")
}
