package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/thresh-dev/thresh/vet/internal/finding"
	"github.com/thresh-dev/thresh/vet/internal/flow"
	"github.com/thresh-dev/thresh/vet/internal/forward"
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
	if !possible {
		return nil
	}
	for _, fn := range p.Funcs {
		for call := range flow.CallsIn(fn) {
			arg := handedOn(call)
			if arg == nil || !general(pass, call.Pos()) && (p.Whole() || !servesFiles(pass)) {
				continue // its handlers are the program's own, and none of them is known to send a file
			}
			values := p.Values(arg)
			for _, v := range values {
				w := p.Wrapper(v)
				if w != nil && w.Roles&shape.ResponseWriter != 0 && w.Loses() && !p.Chosen(v, values) {
					reportPossible(pass, shapes, p, v, w, call, reported)
				}
			}
		}
	}
	return nil
}

// handedOn returns the response that a call hands to a handler, which may serve files or not; nil if it does not.
func handedOn(call ssa.CallInstruction) ssa.Value {
	c := call.Common()
	callee := c.StaticCallee()
	switch {
	case c.IsInvoke() && c.Method.Name() == "ServeHTTP" && isHandler(c.Signature()):
		return c.Args[0]
	case callee != nil && callee.Signature.Recv() != nil && callee.Name() == "ServeHTTP" && isHandler(callee.Signature):
		if shape.Is(c.Args[0].Type(), "*net/http/httputil.ReverseProxy") {
			return nil // it never sends a file
		}
		return c.Args[1]
	case callee == nil && !c.IsInvoke() && isHandler(c.Signature()):
		return c.Args[0]
	}
	return nil
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
	return p.Len() >= 2 && shape.Is(p.At(0).Type(), response) && shape.Is(p.At(1).Type(), "*net/http.Request")
}

// reportLoss reports the wrappers of a response that a file of the program is sent to: at the outermost that
// hides ReadFrom and can be mended, if that is in this package.
func reportLoss(pass *analysis.Pass, p *flow.Program, loss flow.Loss, reported map[*types.TypeName]bool) {
	var names []string
	var lossy []flow.Link
	var first *flow.Link
	d := analysis.Diagnostic{}
	for i, link := range loss.Chain {
		if !loss.Loses(i) {
			continue
		}
		name := types.TypeString(shape.Deref(link.Type), types.RelativeTo(pass.Pkg))
		if tn := link.Name(); tn == nil {
			name = strings.TrimPrefix(link.TypeName(), "*")
		} else if tn.Pkg() == pass.Pkg {
			reported[tn] = true
		}
		names, lossy = append(names, name), append(lossy, link)
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
		d.SuggestedFixes = fixesOf(pass, lossy)
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

// fixesOf returns the fix that adds ReadFrom to all of the wrappers, none if one of them can't be mended here.
func fixesOf(pass *analysis.Pass, links []flow.Link) (all []analysis.SuggestedFix) {
	for _, l := range links {
		if tn := l.Name(); tn == nil || tn.Pkg() != pass.Pkg {
			return nil
		}
		more := forward.Fixes(pass, l.Type, l.Wrapper, "ReadFrom")
		switch {
		case more == nil:
			return nil
		case all == nil:
			all = more
			continue
		}
		all[0].Message += ", " + more[0].Message
		for _, e := range more[0].TextEdits {
			same := func(o analysis.TextEdit) bool { return o.Pos == e.Pos && string(o.NewText) == string(e.NewText) }
			if !slices.ContainsFunc(all[0].TextEdits, same) { // the import
				all[0].TextEdits = append(all[0].TextEdits, e)
			}
		}
	}
	return all
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

// reportPossible reports a wrapper that a handler gets: one of this package at its name, once; one of another package,
// which has its own finding, where this package makes it.
func reportPossible(pass *analysis.Pass, shapes *shape.Shapes, p *flow.Program, v flow.Value, w *shape.Wrapper,
	call ssa.CallInstruction, reported map[*types.TypeName]bool) {
	t, w := culprit(shapes, pass.Pkg, v.Type, w)
	tn := nameOf(t)
	if tn == nil || tn.Pkg() != pass.Pkg {
		name := short(strings.TrimPrefix(v.TypeName(), "*"))
		if !strings.HasPrefix(v.TypeName(), "struct{") && w.Inner == response && p.Makes(v) {
			pass.Report(analysis.Diagnostic{Pos: call.Pos(), Message: responseMessage(name, w, false) + Possible})
		}
		return // struct{ http.ResponseWriter }{w} hides on purpose
	}
	onlyTested := inTest(pass, call.Pos()) && !inTest(pass, tn.Pos())
	if reported[tn] || onlyTested || !w.Loses() || !holdsResponse(pass.Pkg, t, w) {
		return
	}
	reported[tn] = true
	fixes := forward.Fixes(pass, t, w, "ReadFrom")
	pass.Report(analysis.Diagnostic{
		Pos: tn.Pos(), End: tn.Pos() + width(tn), Message: responseMessage(tn.Name(), w, len(fixes) > 0) + Possible,
		SuggestedFixes: fixes,
		Related:        []analysis.RelatedInformation{{Pos: call.Pos(), Message: "handed to a handler here"}},
	})
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
