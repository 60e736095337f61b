package vet

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/thresh-dev/thresh/vet/internal/finding"
	"github.com/thresh-dev/thresh/vet/internal/flow"
	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// StalledStdout reports copies from a connection to os.Stdout or os.Stderr. These are spliced, and if the
// output is a pipe whose reader stalls, package os asks the kernel again and again instead of waiting.
var StalledStdout = finding.New(finding.Spec{
	Name:     "stalledstdout",
	Severity: finding.Warning,
	Short:    "a copy from a connection to os.Stdout spins while the reader of a pipe stalls",
	Doc: "io.Copy from a connection to an *os.File splices. os.Stdout and os.Stderr are not registered with the\n" +
		"poller, so when they are a full pipe, splice is called in a loop that takes a whole processor until the\n" +
		"reader goes on (golang/go#75304). Hide the file's ReadFrom: io.Copy(struct{ io.Writer }{os.Stdout}, conn).",
	Requires: []*analysis.Analyzer{flow.Analyzer},
	Run:      runStalledStdout,
})

func runStalledStdout(pass *analysis.Pass) error {
	p := pass.ResultOf[flow.Analyzer].(*flow.Program)
	reported := map[*ast.CallExpr]bool{}
	for _, c := range p.Copies {
		for _, pair := range p.Pairs(c) {
			if out := stalls(p, c, pair); out != "" {
				reportStall(pass, c, pair, out, reported)
			}
		}
	}
	return nil
}

// stalls returns the name of the output that a copy fills from a connection: "os.Stdout" or "os.Stderr". If
// several values may arrive on both sides, it returns "", since these two need not meet.
func stalls(p *flow.Program, c flow.Copy, pair flow.Pair) string {
	if c.Func == "net/http.ServeContent" || !pair.Dst[0].Sure || !pair.Src[0].Sure {
		return ""
	}
	streams := func(v flow.Value) bool { return isStream(p, v, c.Func == "io.CopyN") }
	isOutput := func(v flow.Value) bool { return outputOf(v) != "" }
	out := slices.IndexFunc(pair.Dst, isOutput)
	if out < 0 || !slices.ContainsFunc(pair.Src, streams) || !all(pair.Dst, isOutput) && !all(pair.Src, streams) {
		return ""
	}
	return outputOf(pair.Dst[out])
}

// isStream reports whether a copy from v to a file is spliced: from a connection, one limit around it, or a
// bufio.Reader, which hands the connection on unless a limit hides its WriteTo.
func isStream(p *flow.Program, v flow.Value, limited bool) bool {
	switch p.KindOf(v) {
	case flow.TCP, flow.Unix:
		return true
	}
	if limited || !isLimited(v.Type) && v.TypeName() != "*bufio.Reader" {
		return false
	}
	inner := p.Inner(v, "")
	return len(inner) > 0 && all(inner, func(v flow.Value) bool { return isStream(p, v, true) })
}

// outputOf returns "os.Stdout" or "os.Stderr" if v is one of these.
func outputOf(v flow.Value) string {
	load, ok := v.At.(*ssa.UnOp)
	if !ok {
		return ""
	}
	global, ok := load.X.(*ssa.Global)
	if !ok || global.Pkg == nil || global.Pkg.Pkg.Path() != "os" {
		return ""
	}
	if name := global.Name(); name == "Stdout" || name == "Stderr" {
		return "os." + name
	}
	return ""
}

// reportStall reports the copy, or the call that passes the output to the function that copies.
func reportStall(pass *analysis.Pass, c flow.Copy, pair flow.Pair, out string, reported map[*ast.CallExpr]bool) {
	copies := callOf(pass, c.Call)
	at := copies
	if pair.Call != nil && argOf(pass, copies, out) == nil {
		if call := callOf(pass, pair.Call); argOf(pass, call, out) != nil {
			at = call
		}
	}
	if at == nil || reported[at] {
		return
	}
	reported[at] = true
	d := analysis.Diagnostic{Pos: at.Pos(), End: at.End(), Message: "a copy from a connection to " + out +
		" spins while the reader of a pipe stalls: hide its ReadFrom, struct{ io.Writer }{" + out + "}"}
	if at != copies && copies != nil {
		d.Related = []analysis.RelatedInformation{{Pos: copies.Pos(), End: copies.End(), Message: "it is copied here"}}
	}
	if arg := argOf(pass, at, out); arg != nil && takesWriter(pass, at, arg) {
		io, edits := finding.Import(pass, at.Pos(), "io")
		edits = append(edits, replace(arg.Pos(), arg.Pos(), "struct{ "+io+".Writer }{"), replace(arg.End(), arg.End(), "}"))
		d.SuggestedFixes = []analysis.SuggestedFix{{Message: "hide the ReadFrom of " + out, TextEdits: edits}}
	}
	pass.Report(d)
}

// argOf returns the argument of a call that is the variable of package os with that name, nil if none is.
func argOf(pass *analysis.Pass, call *ast.CallExpr, name string) ast.Expr {
	if call == nil {
		return nil
	}
	for _, arg := range call.Args {
		sel, ok := ast.Unparen(arg).(*ast.SelectorExpr)
		if !ok {
			continue
		}
		if v, ok := pass.TypesInfo.Uses[sel.Sel].(*types.Var); ok && v.Pkg() != nil && v.Pkg().Path()+"."+v.Name() == name {
			return arg
		}
	}
	return nil
}

// takesWriter reports whether a call takes an argument as an io.Writer, so that any writer will do.
func takesWriter(pass *analysis.Pass, call *ast.CallExpr, arg ast.Expr) bool {
	sig, ok := pass.TypesInfo.TypeOf(call.Fun).(*types.Signature)
	i := slices.Index(call.Args, arg)
	return ok && i < sig.Params().Len() && shape.Is(sig.Params().At(i).Type(), "io.Writer")
}

// all reports whether is holds for each value.
func all(values []flow.Value, is func(flow.Value) bool) bool {
	return !slices.ContainsFunc(values, func(v flow.Value) bool { return !is(v) })
}
