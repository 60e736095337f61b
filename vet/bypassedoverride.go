package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/thresh-dev/thresh/vet/internal/finding"
	"github.com/thresh-dev/thresh/vet/internal/method"
	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// BypassedOverride reports types that override Read or Write of an embedded file or connection, whose
// promoted methods go round the override.
var BypassedOverride = finding.New(finding.Spec{
	Name:     "bypassedoverride",
	Severity: finding.Error,
	Short:    "Read or Write is overridden, and copies go round the override",
	Doc: "A struct that embeds *net.TCPConn, *net.UnixConn or *os.File promotes ReadFrom, WriteTo and SyscallConn " +
		"with Read and Write. If it overrides Read or Write alone, io.Copy uses the promoted methods and never " +
		"calls the override: what it counts, limits, logs or encrypts is passed by. Hold the connection in a " +
		"field that is not embedded, or embed net.Conn; give a file a ReadFrom or WriteTo of its own.",
	Run: func(pass *analysis.Pass) error {
		methods := method.Of(pass)
		scope := pass.Pkg.Scope()
		for _, name := range scope.Names() {
			if t, ok := scope.Lookup(name).(*types.TypeName); ok && !t.IsAlias() {
				reportBypassed(pass, methods, t)
			}
		}
		return nil
	},
})

// A detour is how io.Copy goes round an override.
type detour struct {
	override string // the method that is overridden
	promoted string // the method that is called instead
	of       string // the type that it is promoted from
	how      string
}

// detours has the ways, the most direct first. (*os.File).WriteTo and ReadFrom, and those of a
// *net.TCPConn, ask the other end for SyscallConn: os/zero_copy_linux.go, net/sendfile.go.
var detours = []detour{
	{"Write", "ReadFrom", "*net.TCPConn", "io.Copy to it calls the ReadFrom of the embedded *net.TCPConn"},
	{"Write", "ReadFrom", "*os.File", "io.Copy to it calls the ReadFrom of the embedded *os.File"},
	{"Write", "SyscallConn", "*net.TCPConn", "io.Copy of a file to it" + promotedSend},
	{"Write", "SyscallConn", "*net.UnixConn", "io.Copy of a file to it" + promotedSend},
	{"Read", "WriteTo", "*net.TCPConn", "io.Copy from it calls the WriteTo of the embedded *net.TCPConn"},
	{"Read", "WriteTo", "*os.File", "io.Copy from it calls the WriteTo of the embedded *os.File"},
	{"Read", "SyscallConn", "*net.TCPConn", "io.Copy from it to a file" + promotedSplice},
	{"Read", "SyscallConn", "*net.UnixConn", "io.Copy from it to a file" + promotedSplice},
	{"Read", "SyscallConn", "*os.File", "io.Copy from it to a connection" + promotedFile},
}

const (
	promotedSend   = " sends to the embedded connection, which SyscallConn gives"
	promotedFile   = " sends the embedded file, which SyscallConn gives"
	promotedSplice = " splices the embedded connection, which SyscallConn gives"
)

// reportBypassed reports a type whose own Read or Write is bypassed.
func reportBypassed(pass *analysis.Pass, methods *method.Set, t *types.TypeName) {
	var names, ways []string
	var related []analysis.RelatedInformation
	var fixes []analysis.SuggestedFix
	conn := false
	for _, override := range []string{"Read", "Write"} {
		m := methods.Decl(method.Lookup(t.Type(), pass.Pkg, override))
		if m == nil || !declaredOn(m, t) || !method.Transfer(m.Func.Signature()) || onlyForwards(pass.TypesInfo, m) {
			continue
		}
		d := detourOf(pass.Pkg, t.Type(), override)
		if d == nil {
			continue
		}
		names, ways = append(names, override), append(ways, d.how)
		related = append(related, analysis.RelatedInformation{Pos: m.Decl.Name.Pos(), Message: "the override"})
		conn = conn || d.of != "*os.File"
		if d.override == "Write" && d.of == "*os.File" {
			fixes = []analysis.SuggestedFix{copyThroughWrite(pass, m)}
		}
	}
	if names == nil || onlyBuffered(pass, t) {
		return
	}
	advice := "hold the connection in a field that is not embedded, or embed net.Conn"
	switch {
	case conn:
	case len(names) == 1 && names[0] == "Write":
		advice = "add a ReadFrom that goes through Write"
	default:
		advice = "hold the file in a field that is not embedded"
	}
	be := "is"
	if len(names) > 1 {
		be = "are"
	}
	pass.Report(analysis.Diagnostic{
		Pos: t.Pos(), End: t.Pos() + token.Pos(len(t.Name())), Related: related, SuggestedFixes: fixes,
		Message: fmt.Sprintf("%s of %s %s bypassed: %s: %s",
			strings.Join(names, " and "), t.Name(), be, strings.Join(ways, ", "), advice),
	})
}

// onlyBuffered reports whether a type is the package's own, and all that it does with one is to put it into a
// buffer: a bufio.Reader or bufio.Writer that is never copied calls Read and Write.
func onlyBuffered(pass *analysis.Pass, t *types.TypeName) bool {
	if t.Exported() {
		return false
	}
	buffered, others := 0, 0
	is := func(e ast.Expr) bool {
		at := pass.TypesInfo.TypeOf(e)
		return at != nil && types.Identical(shape.Deref(at), t.Type())
	}
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				for _, arg := range n.Args {
					made, f := pass.TypesInfo.TypeOf(n), typeutil.StaticCallee(pass.TypesInfo, n)
					switch {
					case !is(arg):
					case shape.Is(made, "*bufio.Reader"), shape.Is(made, "*bufio.Writer"),
						f != nil && f.Name() == "Reset" && f.Pkg().Path() == "bufio":
						buffered++
					default:
						others++
					}
				}
			case *ast.ReturnStmt:
				others += len(slices.DeleteFunc(slices.Clone(n.Results), func(e ast.Expr) bool { return !is(e) }))
			}
			return true
		})
	}
	return buffered > 0 && others == 0
}

// declaredOn reports whether m is a method of t itself, and not of a field that t embeds.
func declaredOn(m *method.Method, t *types.TypeName) bool {
	recv := types.Unalias(m.Func.Signature().Recv().Type())
	if p, ok := recv.(*types.Pointer); ok {
		recv = types.Unalias(p.Elem())
	}
	named, ok := recv.(*types.Named)
	return ok && named.Origin().Obj() == t
}

// detourOf returns how io.Copy goes round t's override, nil if it doesn't.
func detourOf(pkg *types.Package, t types.Type, override string) *detour {
	for i := range detours {
		d := &detours[i]
		if d.override != override {
			continue
		}
		f := method.Lookup(t, pkg, d.promoted)
		if f != nil && shape.FullName(f) == "("+d.of+")."+d.promoted && embedsOpen(pkg, t, d.promoted) {
			return d
		}
	}
	return nil
}

// embedsOpen reports whether a method is promoted from a connection or file that may be open. A connection that
// is embedded by value never is: tests make such fakes. (Package os itself has types around its files.)
func embedsOpen(pkg *types.Package, t types.Type, name string) bool {
	_, path, _ := types.LookupFieldOrMethod(t, true, pkg, name)
	for _, i := range path[:len(path)-1] {
		t = shape.Deref(t).Underlying().(*types.Struct).Field(i).Type()
		switch at := shape.Deref(t); {
		case shape.Is(at, "os.File"):
			return true
		case shape.Is(at, "net.TCPConn"), shape.Is(at, "net.UnixConn"):
			return !types.Identical(at, types.Unalias(t))
		}
	}
	return false
}

// onlyForwards reports whether a method does nothing but call the one that it overrides.
func onlyForwards(info *types.Info, m *method.Method) bool {
	if len(m.Decl.Body.List) != 1 {
		return false
	}
	ret, ok := m.Decl.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return false
	}
	call, ok := ret.Results[0].(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != m.Func.Name() {
		return false
	}
	holder, ok := method.Holder(info, f)
	arg, isVar := method.PathOf(info, call.Args[0])
	return ok && isVar && holder.Root == m.Recv && arg.Equal(method.Path{Root: m.Func.Signature().Params().At(0)})
}

// copyThroughWrite returns the fix that adds a ReadFrom to the type that overrides Write of a file.
func copyThroughWrite(pass *analysis.Pass, write *method.Method) analysis.SuggestedFix {
	field := write.Decl.Recv.List[0]
	name := "f"
	if len(field.Names) == 1 && field.Names[0].Name != "_" {
		name = field.Names[0].Name
	}
	src := "r"
	if name == src {
		src = "src"
	}
	pkg, edits := finding.Import(pass, write.Decl.Pos(), "io")
	text := fmt.Sprintf("\n\n// ReadFrom copies through Write; the ReadFrom of the file would go round it.\n"+
		"func (%s %s) ReadFrom(%s %s.Reader) (int64, error) {\n\treturn %s.Copy(struct{ %s.Writer }{%s}, %s)\n}",
		name, types.ExprString(field.Type), src, pkg, pkg, pkg, name, src)
	end := write.Decl.End()
	edits = append(edits, analysis.TextEdit{Pos: end, End: end, NewText: []byte(text)})
	return analysis.SuggestedFix{Message: "Add a ReadFrom that goes through Write", TextEdits: edits}
}
