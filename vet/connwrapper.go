package vet

import (
	"fmt"
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

// ConnWrapper reports wrappers of a net.Conn that only watch, lack ReadFrom or WriteTo, and are returned
// from Accept or copied.
var ConnWrapper = finding.New(finding.Spec{
	Name:     "connwrapper",
	Severity: finding.Warning,
	Short:    "a wrapper of a net.Conn hides its ReadFrom or WriteTo",
	Doc: `A file goes to a TCP connection by sendfile, and bytes from one connection to another by splice, if io.Copy
and net/http see the *net.TCPConn or its ReadFrom and WriteTo. A wrapper that embeds net.Conn to count bytes,
renew deadlines or release something on Close has neither method, and everything behind it is copied through
memory. The wrapper keeps the path with methods that hand the copy to the connection inside, or with hooks
of the package zerocopy. Wrappers that encrypt, buffer or look at the bytes are not reported.`,
	Requires: []*analysis.Analyzer{shape.Analyzer, flow.Analyzer},
	Run:      runConnWrapper,
})

// connFindings collects what is found in one package: one finding for each type, whatever is done with it.
type connFindings struct {
	pass   *analysis.Pass
	shapes *shape.Shapes
	byName map[*types.TypeName]*connFinding
	order  []*connFinding
}

type connFinding struct {
	typ     types.Type
	name    *types.TypeName
	wrapper *shape.Wrapper
	lost    []string // "ReadFrom", "WriteTo"
	related []analysis.RelatedInformation
}

func runConnWrapper(pass *analysis.Pass) error {
	shapes := pass.ResultOf[shape.Analyzer].(*shape.Shapes)
	p := pass.ResultOf[flow.Analyzer].(*flow.Program)
	c := &connFindings{pass: pass, shapes: shapes, byName: map[*types.TypeName]*connFinding{}}
	c.accepted(p)
	c.copied(p)
	for _, f := range c.order {
		c.report(f)
	}
	return nil
}

// accepted looks at what listeners return. What they accept is mostly written to: by net/http, which asks
// for ReadFrom and never for WriteTo.
func (c *connFindings) accepted(p *flow.Program) {
	if encrypts(c.pass.Pkg) {
		return
	}
	for _, fn := range p.Funcs {
		if fn.Name() != "Accept" || !accepts(fn.Signature) {
			continue
		}
		for _, b := range fn.Blocks {
			ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
			if !ok {
				continue
			}
			for _, v := range p.Values(ret.Results[0]) {
				w := p.Wrapper(v)
				if !watches(w) || !w.Loses() || namedTLS(v.TypeName()) {
					continue
				}
				inside := p.Inner(v, w.Field)
				if slices.ContainsFunc(inside, wasAccepted) && !slices.ContainsFunc(inside, speaksTLS) {
					c.add(v.Type, v.TypeName(), w, v.At.Pos(), "returned from Accept here", lacks(w)...)
				}
			}
		}
	}
}

// accepts reports whether s is that of the Accept of a listener, or of something like one.
func accepts(s *types.Signature) bool {
	return s.Recv() != nil && s.Params().Len() == 0 && s.Results().Len() == 2 &&
		shape.RolesOf(s.Results().At(0).Type())&shape.Conn != 0
}

// wasAccepted reports whether a value comes from a listener of package net.
func wasAccepted(v flow.Value) bool {
	call := madeIn(v.At)
	if call == nil {
		return false
	}
	f := call.Call.Method
	if callee := call.Call.StaticCallee(); callee != nil {
		f, _ = callee.Object().(*types.Func)
	}
	switch shape.FullName(f) {
	case "(net.Listener).Accept", "(*net.TCPListener).Accept", "(*net.TCPListener).AcceptTCP",
		"(*net.UnixListener).Accept", "(*net.UnixListener).AcceptUnix":
		return true
	}
	return false
}

// madeIn returns the call that v is a result of, also through an assertion of its type; nil if it is none.
func madeIn(v ssa.Value) *ssa.Call {
	switch v := v.(type) {
	case *ssa.Extract:
		return madeIn(v.Tuple)
	case *ssa.TypeAssert:
		return madeIn(v.X)
	case *ssa.Call:
		return v
	}
	return nil
}

// namedTLS reports whether a type is named after TLS: what it holds is encrypted in memory.
func namedTLS(name string) bool {
	return strings.Contains(strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]), "tls")
}

// speaksTLS reports whether a value is a TLS connection: it has ConnectionState.
func speaksTLS(v flow.Value) bool {
	state, _, _ := types.LookupFieldOrMethod(v.Type, true, nil, "ConnectionState")
	_, method := state.(*types.Func)
	return method
}

// lacks returns which of ReadFrom and WriteTo a wrapper lacks.
func lacks(w *shape.Wrapper) (lost []string) {
	if w.ReadFrom == shape.Absent {
		lost = append(lost, "ReadFrom")
	}
	if w.WriteTo == shape.Absent {
		lost = append(lost, "WriteTo")
	}
	return lost
}

// watches reports whether w is a connection that hands bytes on unchanged, both ways.
func watches(w *shape.Wrapper) bool {
	return w != nil && w.Roles&shape.Conn != 0 && w.Passes() && (w.Read == shape.Promoted || w.Read == shape.Forwards)
}

// encrypts reports whether a package speaks protocols that encrypt or frame all bytes, and not HTTP.
func encrypts(p *types.Package) bool {
	has := func(paths ...string) bool {
		return slices.ContainsFunc(p.Imports(), func(i *types.Package) bool { return slices.Contains(paths, i.Path()) })
	}
	return has("golang.org/x/crypto/ssh", "google.golang.org/grpc") && !has("net/http")
}

// copied looks at the package's own copies between connections and files.
func (c *connFindings) copied(p *flow.Program) {
	for _, call := range p.Copies {
		dsts, srcs := p.Values(call.Dst), p.Values(call.Src)
		at := call.Call.Pos()
		for _, d := range dsts {
			if w := p.Wrapper(d); watches(w) && w.Loses() && c.holdsSocket(p, d, w) && anyKernel(p, srcs) {
				c.add(d.Type, d.TypeName(), w, at, "written to by "+short(call.Func)+" here", "ReadFrom")
			}
		}
		for _, s := range srcs {
			w := p.Wrapper(s)
			hides := watches(w) && w.WriteTo == shape.Absent && !w.Chosen
			if hides && c.holdsSocket(p, s, w) && anyKernel(p, dsts) {
				c.add(s.Type, s.TypeName(), w, at, "read from by "+short(call.Func)+" here", "WriteTo")
			}
		}
	}
}

// short is the name of a function without the path of its package.
func short(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// holdsSocket reports whether a wrapper may hold a TCP or Unix socket, because nothing else is known to be in it.
func (c *connFindings) holdsSocket(p *flow.Program, v flow.Value, w *shape.Wrapper) bool {
	return !slices.ContainsFunc(p.Inner(v, w.Field), func(inner flow.Value) bool { return !isSocket(p, inner) })
}

// isSocket reports whether v is a stream socket, or may be one: a net.Conn of which no more is known, or
// a wrapper of one.
func isSocket(p *flow.Program, v flow.Value) bool {
	switch p.KindOf(v) {
	case flow.TCP, flow.Unix:
		return true
	case flow.Unknown:
		return shape.Is(v.Type, "net.Conn") && !v.Known() || watches(p.Wrapper(v))
	}
	return false
}

// anyKernel reports whether the kernel could move bytes from or to one of the values by itself.
func anyKernel(p *flow.Program, values []flow.Value) bool {
	return slices.ContainsFunc(values, func(v flow.Value) bool { return p.KindOf(v) == flow.File || isSocket(p, v) })
}

// add records a use of a type. One of another package is reported at once, where it is used.
func (c *connFindings) add(t types.Type, name string, w *shape.Wrapper, at token.Pos, why string, lost ...string) {
	if nameOf(t) == nil && strings.HasPrefix(name, "struct{") {
		return // struct{ net.Conn }{c} hides on purpose
	}
	t, w = culprit(c.shapes, c.pass.Pkg, t, w)
	tn := nameOf(t)
	if !mayHold(c.pass.Pkg, t, w, "net.Conn", "*net.TCPConn", "*net.UnixConn") {
		return
	}
	if tn == nil || tn.Pkg() != c.pass.Pkg {
		c.pass.Report(analysis.Diagnostic{Pos: at, Message: connMessage(name, lost, w, false)})
		return
	}
	if inTest(c.pass, at) && !inTest(c.pass, tn.Pos()) {
		return
	}
	f := c.byName[tn]
	if f == nil {
		f = &connFinding{typ: t, name: tn, wrapper: w}
		c.byName[tn] = f
		c.order = append(c.order, f)
	}
	for _, l := range lost {
		if !slices.Contains(f.lost, l) {
			f.lost = append(f.lost, l)
		}
	}
	slices.Sort(f.lost)
	f.related = append(f.related, analysis.RelatedInformation{Pos: at, Message: why})
}

func (c *connFindings) report(f *connFinding) {
	fixes := forward.Fixes(c.pass, f.typ, f.wrapper, f.lost...)
	c.pass.Report(analysis.Diagnostic{
		Pos: f.name.Pos(), End: f.name.Pos() + width(f.name),
		Message: connMessage(f.name.Name(), f.lost, f.wrapper, len(fixes) > 0), SuggestedFixes: fixes, Related: f.related,
	})
}

func connMessage(name string, lost []string, w *shape.Wrapper, fixed bool) string {
	methods, them := strings.Join(lost, " and "), "a method that forwards"
	if len(lost) > 1 {
		them = "methods that forward"
	}
	s := fmt.Sprintf("%s hides %s of the connection that it wraps, so bytes are copied through memory: ", name, methods)
	if fixed {
		return s + fmt.Sprintf("add %s to it, which leave%s the copy to %s", methods, third(lost), w.Field)
	}
	return s + fmt.Sprintf("add %s, or use zerocopy.NewConn with a hook", them)
}

// third is the ending of a verb whose subject is a list.
func third(list []string) string {
	if len(list) == 1 {
		return "s"
	}
	return ""
}
