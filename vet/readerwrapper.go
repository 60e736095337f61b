package vet

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/thresh-dev/thresh/vet/internal/finding"
	"github.com/thresh-dev/thresh/vet/internal/flow"
	"github.com/thresh-dev/thresh/vet/internal/forward"
	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// ReaderWrapper reports wrappers that only forward Read of a file or a connection, and are copied to a
// connection or a response.
var ReaderWrapper = finding.New(finding.Spec{
	Name:     "readerwrapper",
	Severity: finding.Warning,
	Short:    "a wrapper of a reader hides the file or connection that is copied",
	Doc: `io.Copy sends a file by sendfile and a connection by splice if it sees the *os.File or *net.TCPConn. A
reader around it that counts, shows progress or waits hides it, and the bytes are copied through memory. With
a WriteTo that copies from the value inside, io.Copy keeps the path. io.CopyN and http.ServeContent never ask
for WriteTo: give them the file itself, and count on the writer's side. Readers that change, buffer or look at
the bytes are not reported.`,
	Requires: []*analysis.Analyzer{shape.Analyzer, flow.Analyzer},
	Run:      runReaderWrapper,
})

func runReaderWrapper(pass *analysis.Pass) error {
	p := pass.ResultOf[flow.Analyzer].(*flow.Program)
	reported := map[*types.TypeName]bool{}
	for _, call := range p.Copies {
		dsts := p.Values(call.Dst)
		if !slices.ContainsFunc(dsts, func(v flow.Value) bool { return takesFiles(p, v) }) {
			continue
		}
		toTCP := slices.ContainsFunc(dsts, func(v flow.Value) bool { return p.KindOf(v) == flow.TCP })
		asks := call.Func == "io.Copy" || call.Func == "io.CopyBuffer" // for WriteTo of the source
		for _, src := range unlimited(p, p.Values(call.Src), &asks) {
			w := p.Wrapper(src)
			if !hidesReader(w) || !anySource(p, p.Inner(src, w.Field), toTCP) {
				continue
			}
			tn := nameOf(src.Type)
			if !asks || tn == nil || tn.Pkg() != pass.Pkg {
				pass.Reportf(call.Call.Pos(), "%s", readerMessage(src.TypeName(), w, asks, false))
				continue
			}
			if reported[tn] || inTest(pass, call.Call.Pos()) && !inTest(pass, tn.Pos()) {
				continue
			}
			reported[tn] = true
			fixes := forward.Fixes(pass, src.Type, w, "WriteTo")
			pass.Report(analysis.Diagnostic{
				Pos: tn.Pos(), End: tn.Pos() + width(tn), Message: readerMessage(tn.Name(), w, true, len(fixes) > 0),
				SuggestedFixes: fixes,
				Related:        []analysis.RelatedInformation{{Pos: call.Call.Pos(), Message: "copied here"}},
			})
		}
	}
	return nil
}

// unlimited returns values, and what is in those that are an io.LimitedReader. That hides WriteTo, so
// io.Copy does not look for it. Limits in limits are the business of NestedLimit.
func unlimited(p *flow.Program, values []flow.Value, asks *bool) (all []flow.Value) {
	for _, v := range values {
		if !isLimited(v.Type) {
			all = append(all, v)
			continue
		}
		*asks = false
		for _, inner := range p.Inner(v, "") {
			if !isLimited(inner.Type) {
				all = append(all, inner)
			}
		}
	}
	return all
}

// hidesReader reports whether w is a reader with a Read of its own that hands on the bytes of another, and
// that nothing else than Read gets at. Connections are the business of ConnWrapper; structs that embed a
// file as an interface, and have no Read of their own, that of HiddenFile.
func hidesReader(w *shape.Wrapper) bool {
	return w != nil && w.Read == shape.Forwards && w.WriteTo == shape.Absent && w.SyscallConn == shape.Absent &&
		w.Roles&shape.Conn == 0
}

// takesFiles reports whether a file can go to v by sendfile.
func takesFiles(p *flow.Program, v flow.Value) bool {
	return p.KindOf(v) == flow.Response || isSocket(p, v)
}

// anySource reports whether one of the values is certainly a file, or a connection that splice reads from. To
// a TCP connection it also reads from a Unix one; two Unix connections have no method that does.
func anySource(p *flow.Program, values []flow.Value, toTCP bool) bool {
	return slices.ContainsFunc(values, func(v flow.Value) bool {
		k := p.KindOf(v)
		return k == flow.File || k == flow.TCP || k == flow.Unix && toTCP
	})
}

func readerMessage(name string, w *shape.Wrapper, asks, fixed bool) string {
	s := fmt.Sprintf("%s hides the file or connection that it reads from, so the copy goes through memory: ", name)
	switch {
	case fixed:
		return s + "add WriteTo to it, which leaves the copy to " + w.Field
	case asks:
		return s + "add a WriteTo that forwards, or use zerocopy.NewReader with a hook"
	}
	return s + "copy from that itself, and count on the writer's side, as with zerocopy.NewWriter"
}
