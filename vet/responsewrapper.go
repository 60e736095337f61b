package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/thresh-dev/thresh/vet/internal/finding"
	"github.com/thresh-dev/thresh/vet/internal/flow"
	"github.com/thresh-dev/thresh/vet/internal/forward"
	"github.com/thresh-dev/thresh/vet/internal/handed"
	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// ResponseWrapper reports wrappers of an http.ResponseWriter that pass bytes on unchanged, have no
// ReadFrom, and are handed to a handler or to code that sends a file.
var ResponseWrapper = finding.New(finding.Spec{
	Name:     "responsewrapper",
	Severity: finding.Warning,
	Short:    "a wrapper of an http.ResponseWriter hides its ReadFrom",
	Doc: `net/http sends a file by sendfile if the handler's http.ResponseWriter has ReadFrom. A wrapper that
counts bytes or records the status hides that method, even if it has Unwrap, and every file that a handler
serves through it is copied through memory. The wrapper keeps the path with a ReadFrom that copies to the
http.ResponseWriter inside, or with hooks of the package zerocopy. Wrappers that compress, buffer or look
at the bytes are not reported.`,
	Requires: []*analysis.Analyzer{shape.Analyzer, flow.Analyzer},
	Run:      runResponseWrapper,
})

// Possible ends the message of a finding that no copy is known of.
const Possible = " (possible: no copy to it is known)"

// possible makes the rule report wrappers that handlers get of whom it is not known that they send files.
var possible bool

func init() {
	ResponseWrapper.Flags.BoolVar(&possible, PossibleFlag, false,
		"also wrappers that are handed to handlers which may send files or not")
}

// PossibleFlag is the flag of ResponseWrapper that makes it report what it calls possible, too.
const PossibleFlag = "possible"

// response is what wrappers hold.
const response = "net/http.ResponseWriter"

func runResponseWrapper(pass *analysis.Pass) error {
	shapes := pass.ResultOf[shape.Analyzer].(*shape.Shapes)
	p := pass.ResultOf[flow.Analyzer].(*flow.Program)
	reported := map[*types.TypeName]bool{}
	for _, loss := range p.Losses() {
		reportLoss(pass, p, loss, reported)
	}
	for _, h := range handed.Responses(pass, shapes) {
		if h.Wrapper.Roles&shape.ResponseWriter == 0 || !h.Wrapper.Loses() {
			continue
		}
		if h.To == handed.Handler && (!possible || !general(pass, h.Pos) && (p.Whole() || !servesFiles(pass))) {
			continue // its handlers are the program's own, and none of them is known to send a file
		}
		if h.To != handed.Handler && p.Whole() {
			continue // the program does not make it, or sends something else than a file
		}
		tn := nameOf(h.Type)
		switch {
		case tn == nil && (h.Type != nil || strings.HasPrefix(h.Name, "struct{")):
			// struct{ http.ResponseWriter }{w} hides on purpose.
		case tn == nil || tn.Pkg() != pass.Pkg:
			reportForeignResponse(pass, h)
		default:
			reportResponse(pass, shapes, h, reported)
		}
	}
	return nil
}

// reportLoss reports the wrappers of a response that a file of the program is sent to: at the outermost that
// hides ReadFrom and can be mended, if that is in this package.
func reportLoss(pass *analysis.Pass, p *flow.Program, loss flow.Loss, reported map[*types.TypeName]bool) {
	var names []string
	var first *flow.Link
	d := analysis.Diagnostic{}
	for i, link := range loss.Chain {
		if !link.Loses() {
			continue
		}
		name := types.TypeString(shape.Deref(link.Type), types.RelativeTo(pass.Pkg))
		if tn := link.Name(); tn == nil {
			name = strings.TrimPrefix(link.TypeName(), "*")
		} else if tn.Pkg() == pass.Pkg {
			reported[tn] = true
		}
		names = append(names, name)
		if home, at := p.Home(link); first == nil && home != nil {
			first, d.Pos = &loss.Chain[i], at
			if home != pass.Pkg {
				return
			}
		}
	}
	if first == nil {
		return
	}
	if tn := first.Name(); tn != nil && tn.Pkg() == pass.Pkg {
		d.End = tn.Pos() + width(tn)
		if len(names) == 1 {
			d.SuggestedFixes = forward.Fixes(pass, first.Type, first.Wrapper, "ReadFrom")
		}
	}
	d.Message = responseMessage(names[0], first.Wrapper, len(d.SuggestedFixes) > 0)
	if len(names) > 1 {
		d.Message = fmt.Sprintf("%s hide ReadFrom of a response, each inside of the one before, so files are copied through "+
			"memory: mending one is not enough, add a ReadFrom that forwards to each", strings.Join(names, ", "))
	}
	for _, link := range loss.Chain {
		if link.Loses() && link.At.Pos().IsValid() {
			name := short(strings.TrimPrefix(link.TypeName(), "*"))
			d.Related = append(d.Related, analysis.RelatedInformation{Pos: link.At.Pos(), Message: name + " is made here"})
		}
	}
	for _, call := range loss.Path {
		d.Related = append(d.Related, analysis.RelatedInformation{Pos: call.Pos(), Message: "handed on here"})
	}
	d.Related = append(d.Related,
		analysis.RelatedInformation{Pos: loss.Call.Pos(), Message: short(loss.Func) + " sends a file here"})
	pass.Report(d)
}

// general reports whether a place is in code for the handlers of others: in an exported function or method of a
// package that other modules can import.
func general(pass *analysis.Pass, at token.Pos) bool {
	path := pass.Pkg.Path()
	if pass.Pkg.Name() == "main" || slices.Contains(strings.Split(path, "/"), "internal") {
		return false
	}
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Pos() <= at && at < f.End() {
				return f.Name.IsExported()
			}
		}
	}
	return true // the value of a variable
}

// servesFiles reports whether a package calls one of the functions of net/http that send files, outside of tests.
func servesFiles(pass *analysis.Pass) bool {
	for id, used := range pass.TypesInfo.Uses {
		if f, ok := used.(*types.Func); ok && f.Pkg() != nil && f.Pkg().Path() == "net/http" && !inTest(pass, id.Pos()) {
			switch f.Name() {
			case "FileServer", "FileServerFS", "ServeContent", "ServeFile", "ServeFileFS":
				return true
			}
		}
	}
	return false
}

// reportForeignResponse reports a wrapper of another package where it is handed on. That package has its
// own finding, so here it counts what this one does: it makes the wrapper, or sends a file to it.
func reportForeignResponse(pass *analysis.Pass, h handed.Handing) {
	if h.Wrapper.Inner == response && (h.Own || h.To != handed.Handler) {
		pass.Report(analysis.Diagnostic{Pos: h.Pos, Message: responseMessage(h.Name, h.Wrapper, false) + ifPossible(h)})
	}
}

// reportResponse reports a wrapper of this package at its name, once.
func reportResponse(pass *analysis.Pass, shapes *shape.Shapes, h handed.Handing, reported map[*types.TypeName]bool) {
	t, w := culprit(shapes, pass.Pkg, h.Type, h.Wrapper)
	tn := nameOf(t)
	onlyTested := inTest(pass, h.Pos) && !inTest(pass, tn.Pos())
	if reported[tn] || onlyTested || !w.Loses() || !holdsResponse(pass.Pkg, t, w) {
		return
	}
	reported[tn] = true
	fixes := forward.Fixes(pass, t, w, "ReadFrom")
	pass.Report(analysis.Diagnostic{
		Pos: tn.Pos(), End: tn.Pos() + width(tn), Message: responseMessage(tn.Name(), w, len(fixes) > 0) + ifPossible(h),
		SuggestedFixes: fixes,
		Related:        []analysis.RelatedInformation{{Pos: h.Pos, Message: "handed to " + h.To + " here"}},
	})
}

func ifPossible(h handed.Handing) string {
	if h.To == handed.Handler {
		return Possible
	}
	return ""
}

func responseMessage(name string, w *shape.Wrapper, fixed bool) string {
	s := fmt.Sprintf("%s hides ReadFrom of the response that it wraps", name)
	if w.Unwrap != shape.Absent {
		s += ", which Unwrap does not change"
	}
	s += ", so files are copied through memory: "
	if fixed {
		return s + "add a ReadFrom to it, which leaves the copy to " + w.Field
	}
	return s + "add a ReadFrom that forwards, or use zerocopy.NewResponseWriter with a hook"
}

// holdsResponse reports whether what a wrapper holds is a response that may have ReadFrom.
func holdsResponse(pkg *types.Package, t types.Type, w *shape.Wrapper) bool {
	return w.Inner == response ||
		mayHold(pkg, t, w) && shape.RolesOf(fieldType(t, w.Field))&shape.ResponseWriter != 0
}
