package vet

import (
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/thresh-dev/thresh/vet/internal/finding"
	"github.com/thresh-dev/thresh/vet/internal/flow"
	"github.com/thresh-dev/thresh/vet/internal/header"
)

// MissingLength reports files that are sent by net/http without their length: the response is chunked, and
// each chunk is copied.
var MissingLength = finding.New(finding.Spec{
	Name:     "missinglength",
	Severity: finding.Warning,
	Short:    "a file is sent without Content-Length, so the response is chunked",
	Doc: "Package net/http sends a file by sendfile if the response has a Content-Length, and else copies it in\n" +
		"chunks. io.Copy to an http.ResponseWriter sets none. http.ServeContent does, but not where\n" +
		"Content-Encoding is set: it can't know whether the writer compresses. Set the length to the\n" +
		"size of the file, or use http.ServeContent.",
	Requires: []*analysis.Analyzer{flow.Analyzer},
	Run:      runMissingLength,
})

func runMissingLength(pass *analysis.Pass) error {
	p := pass.ResultOf[flow.Analyzer].(*flow.Program)
	headers := header.New(p.Funcs)
	for _, c := range p.Copies {
		if !sendsOnly(p, c.Dst) || !allFiles(p, c) {
			continue
		}
		paths := headers.Paths(c.Call, c.Dst)
		if c.Func == "net/http.ServeContent" {
			if slices.ContainsFunc(paths, encodedWithoutLength) {
				reportLength(pass, c, "http.ServeContent sets no Content-Length where Content-Encoding is set: the response "+
					"is chunked, and sendfile is lost: set it to the size of the file if the request has no If-Match and "+
					"no If-Unmodified-Since")
			}
			continue
		}
		if header.Repeated(c.Call) || onlyHead(c.Call) || slices.ContainsFunc(paths, mayHaveLength) {
			continue
		}
		what := "ReadFrom of a file by"
		if callee := c.Call.Common().StaticCallee(); callee != nil && callee.Signature.Recv() == nil {
			what = "io." + callee.Name() + " of a file to"
		}
		reportLength(pass, c, what+" a ResponseWriter without Content-Length is chunked, and sendfile is lost: "+
			"set Content-Length, or use http.ServeContent")
	}
	return nil
}

func encodedWithoutLength(s header.State) bool {
	return s.Encoded && !s.Length && !s.Framed && !s.Unknown
}

func mayHaveLength(s header.State) bool {
	return s.Length || s.Framed || s.Unknown || !s.Handler
}

// sendsOnly reports whether nothing but the response of net/http arrives at dst.
func sendsOnly(p *flow.Program, dst ssa.Value) bool {
	return !slices.ContainsFunc(p.Values(dst), func(v flow.Value) bool {
		return p.KindOf(v) != flow.Response && v.TypeName() != "net/http.ResponseWriter"
	})
}

// allFiles reports whether a copy is of nothing but regular files.
func allFiles(p *flow.Program, c flow.Copy) bool {
	values := sources(p, forwarded(p, c, p.Values(c.Src)))
	return len(values) > 0 && !slices.ContainsFunc(values, func(v flow.Value) bool { return p.KindOf(v) != flow.File })
}

// onlyHead reports whether a call is made only for requests with method HEAD, whose responses have no body.
func onlyHead(call ssa.CallInstruction) bool {
	for b := call.Block(); b.Idom() != nil; b = b.Idom() {
		above := b.Idom()
		branch, ok := above.Instrs[len(above.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		cond, ok := branch.Cond.(*ssa.BinOp)
		if ok && cond.Op == token.EQL && above.Succs[0] == b && len(b.Preds) == 1 && (isHead(cond.X) || isHead(cond.Y)) {
			return true
		}
	}
	return false
}

func isHead(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.Kind() == constant.String && constant.StringVal(c.Value) == "HEAD"
}

func reportLength(pass *analysis.Pass, c flow.Copy, message string) {
	call := callOf(pass, c.Call)
	if call == nil {
		return
	}
	pass.Report(analysis.Diagnostic{Pos: call.Pos(), End: call.End(), Message: message})
}
