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
	c := &connFindings{pass: pass, shapes: shapes, byName: map[*types.TypeName]*connFinding{}}
	c.accepted()
	c.copied(pass.ResultOf[flow.Analyzer].(*flow.Program))
	for _, f := range c.order {
		c.report(f)
	}
	return nil
}

// accepted looks at what listeners return. What they accept is mostly written to: by net/http, which asks
// for ReadFrom and never for WriteTo.
func (c *connFindings) accepted() {
	if encrypts(c.pass.Pkg) {
		return
	}
	for _, h := range handed.Accepted(c.pass, c.shapes) {
		if !watches(h.Wrapper) || !h.Wrapper.Loses() || namedTLS(h.Name) || c.speaksTLS(h.Pos) {
			continue
		}
		c.add(h.Type, h.Name, h.Wrapper, h.Pos, "returned from Accept here", lacks(h.Wrapper)...)
	}
}

// namedTLS reports whether a type is named after TLS: what it holds is encrypted in memory.
func namedTLS(name string) bool {
	return strings.Contains(strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]), "tls")
}

// speaksTLS reports whether what is put into a wrapper at a place is a TLS connection: it has ConnectionState.
func (c *connFindings) speaksTLS(at token.Pos) (tls bool) {
	for _, file := range c.pass.Files {
		if at < file.FileStart || file.FileEnd <= at {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || at != lit.Pos() && at != lit.Pos()-1 { // T{…} or &T{…}
				return true
			}
			for _, e := range lit.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					e = kv.Value
				}
				state, _, _ := types.LookupFieldOrMethod(c.pass.TypesInfo.TypeOf(e), true, c.pass.Pkg, "ConnectionState")
				_, method := state.(*types.Func)
				tls = tls || method
			}
			return true
		})
	}
	return tls
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
