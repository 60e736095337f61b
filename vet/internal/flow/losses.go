package flow

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// Loss is a file that is sent to a response through wrappers, some of which hide the response's ReadFrom.
type Loss struct {
	Call  ssa.CallInstruction   // sends the file
	Func  string                // "io.Copy", "net/http.ServeFile" …
	Chain []Link                // the outermost first
	Path  []ssa.CallInstruction // the calls from where the outermost is made to Call, which is not among them
}

// Link is one of the wrappers around a response.
type Link struct {
	Value
	Wrapper *shape.Wrapper
}

// Name returns the name of a link's type, nil if it has none or is not exported by a package of which only
// types are known.
func (l Link) Name() *types.TypeName {
	named, ok := shape.Deref(l.Type).(*types.Named)
	if !ok {
		return nil
	}
	return named.Origin().Obj()
}

// Loses reports whether a link hides ReadFrom. A struct without a name does so on purpose.
func (l Link) Loses() bool {
	return l.Wrapper.Loses() && !strings.HasPrefix(strings.TrimPrefix(l.TypeName(), "*"), "struct{")
}

// Loses reports whether the i-th link of the chain is to be mended: it hides ReadFrom, and will not get the
// method of the next one by embedding it.
func (l Loss) Loses(i int) bool {
	link := l.Chain[i]
	if i+1 < len(l.Chain) && l.Chain[i+1].Loses() && link.Wrapper.Embedded && link.Wrapper.Write == shape.Promoted {
		next := types.TypeString(types.Unalias(l.Chain[i+1].Type), nil)
		return link.Loses() && strings.TrimPrefix(next, "*") != strings.TrimPrefix(link.Wrapper.Inner, "*")
	}
	return link.Loses()
}

// servers are the functions that send a file to a response: which argument that is, and which the file or the
// file system, -1 if the file has a name.
var servers = map[string]struct{ dst, src int }{
	"io.Copy":               {0, 1},
	"io.CopyN":              {0, 1},
	"io.CopyBuffer":         {0, 1},
	"net/http.ServeContent": {0, 4},
	"net/http.ServeFile":    {0, -1},
}

// Losses returns the losses of the world. A wrapper that hides ReadFrom is in one of them: of a whole program that
// with the longest chain, which says what all has to be mended, of a package, of which few calls are known, the
// shortest. Losses whose wrappers are all declared and made by other modules are left out, since whoever asks cannot
// mend them, and so are those that only tests make of what they test. It is safe for concurrent use.
func (w *world) Losses() []Loss {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.index == nil || w.traced {
		return w.losses
	}
	w.traced = true
	for pkg, funcs := range w.written {
		for _, f := range funcs {
			if pkg.Path() == "net/http" && f.String() != fileServer {
				continue
			}
			for call := range CallsIn(f) {
				name := shape.FullName(calleeOf(call.Common()))
				s, ok := servers[name]
				if !ok || call.Common().IsInvoke() || strings.HasPrefix(name, "io.") && !w.asked(pkg) {
					continue // what the copies of other modules move is theirs to know
				}
				args := call.Common().Args
				if s.src < 0 || w.mayBeFile(w.values(args[s.src])) {
					w.addLosses(call, name, args[s.dst])
				}
			}
			for _, call := range w.index.calls[f] {
				if f.String() == fileServer && w.mayBeFile(w.systems(argument(call, 0))) {
					w.addLosses(call, "http.FileServer", argument(call, 1))
				}
			}
		}
	}
	slices.SortFunc(w.losses, func(a, b Loss) int {
		longer := len(a.Chain) - len(b.Chain)
		if w.whole {
			longer = -longer
		}
		return cmp.Or(longer, cmp.Compare(a.Call.Pos(), b.Call.Pos()),
			cmp.Compare(a.Chain[0].At.Pos(), b.Chain[0].At.Pos()))
	})
	told := map[string]bool{}
	w.losses = slices.DeleteFunc(w.losses, func(l Loss) bool {
		again, ours := true, false
		for _, link := range l.Chain {
			if name := link.TypeName(); link.Loses() {
				again = again && told[name]
				told[name] = true
				home, at := w.Home(link)
				ours = ours || home != nil && (w.index.inTest(at) || !w.index.inTest(l.Call.Pos()))
			}
		}
		return again || !ours
	})
	return w.losses
}

// Home returns the package to mend that declares a link's type, or else the one that makes it, or calls what
// does, and where; nil if none of them is asked for.
func (w *world) Home(l Link) (*types.Package, token.Pos) {
	if tn := l.Name(); tn != nil && tn.Pkg() != nil && w.asked(tn.Pkg()) {
		return tn.Pkg(), tn.Pos()
	}
	asked := func(fn *ssa.Function) bool { return fn != nil && fn.Pkg != nil && w.asked(fn.Pkg.Pkg) }
	if fn := l.At.Parent(); asked(fn) {
		return fn.Pkg.Pkg, l.At.Pos()
	}
	for f := l.frame; f != nil && f.call != nil; f = f.up {
		if fn := f.call.Parent(); asked(fn) {
			return fn.Pkg.Pkg, f.call.Pos()
		}
	}
	return nil, token.NoPos
}

// Chosen reports whether a function of another package returns v or something with ReadFrom, by what is inside.
func (w *world) Chosen(v Value, among []Value) bool {
	return slices.ContainsFunc(among, func(o Value) bool {
		other := w.Wrapper(o)
		return o.At == v.At && other != nil && other.ReadFrom != shape.Absent
	})
}

// Makes reports whether the package makes v itself: by a literal, or by a function that puts what it gets into it.
func (w *world) Makes(v Value) bool {
	if _, ok := v.At.(*ssa.Alloc); ok {
		return true
	}
	call, result := callOf(v.At)
	return call != nil && len(w.held(call, result)) > 0
}

// Whole reports whether values are followed through a whole program.
func (w *world) Whole() bool { return w.whole }

// fileServer is the method of the handlers that http.FileServer returns.
const fileServer = "(*net/http.fileHandler).ServeHTTP"

// systems returns the file systems of a handler, if it may be one that http.FileServer returned.
func (w *world) systems(handler ssa.Value) (found []Value) {
	for _, v := range w.values(handler) {
		if v.TypeName() == "*net/http.fileHandler" || !v.Known() {
			found = append(found, w.inner(v, "root")...)
		}
	}
	return found
}

// pathMax bounds the calls from a wrapper to a copy. A longer way comes of interfaces that many things go
// through more often than of a program that goes it.
const pathMax = 12

// addLosses adds what is lost at a call that sends a file to the response dst.
func (w *world) addLosses(call ssa.CallInstruction, name string, dst ssa.Value) {
	t := w.newTrace()
	values := t.follow(dst, nil)
	for _, v := range values {
		chain := w.chain(v)
		if !slices.ContainsFunc(chain, Link.Loses) || w.Chosen(v, values) {
			continue
		}
		found := v
		found.Sure = false // as it was when the trace came to it
		path := slices.DeleteFunc(t.paths[found], func(c ssa.CallInstruction) bool { return !c.Pos().IsValid() })
		if len(path) > pathMax {
			continue
		}
		slices.Reverse(path)
		w.losses = append(w.losses, Loss{call, name, chain, path})
	}
}

// chain returns the wrappers of a response that v is the outermost of: of several ways inwards the longest;
// nil if v is no wrapper, if nothing but other writers are inside, or if one of them changes, keeps or drops
// bytes on every way.
func (w *world) chain(v Value) (longest []Link) {
	if known, ok := w.chains[v]; ok {
		return known
	}
	w.chains[v] = nil // what is around itself is none
	wrapper := w.Wrapper(v)
	if wrapper == nil || wrapper.Roles&shape.ResponseWriter == 0 || !wrapper.Passes() ||
		wrapper.ReadFrom == shape.Loops || wrapper.ReadFrom == shape.Transforms {
		return nil
	}
	link := Link{v, wrapper}
	inside := w.inner(v, wrapper.Field)
	if inside == nil && wrapper.Inner == "net/http.ResponseWriter" {
		longest = []Link{link} // of a package of which only types are known
	}
	for _, inner := range inside {
		rest := w.chain(inner)
		switch {
		case rest == nil && !w.isResponse(inner):
			continue
		case slices.ContainsFunc(rest, func(l Link) bool { return l.TypeName() == link.TypeName() }):
			rest = nil // one that is used again and again, and not around itself
		}
		if chain := append([]Link{link}, rest...); len(chain) > len(longest) {
			longest = chain
		}
	}
	w.chains[v] = longest
	return longest
}

// isResponse reports whether v is a response of net/http, or may be one.
func (w *world) isResponse(v Value) bool {
	return w.KindOf(v) == Response || !v.Known() && shape.RolesOf(v.Type)&shape.ResponseWriter != 0
}

// mayBeFile reports whether a file, something that hides one, or a file system of files may be what is sent.
func (w *world) mayBeFile(src []Value) bool { return w.fileInside(src, 0) }

// fileLike are the interfaces that mostly hold a file.
var fileLike = []string{"net/http.File", "io/fs.File", "io.ReadSeeker", "io.ReadSeekCloser", "net/http.FileSystem"}

// insideMax bounds how deep a file is looked for in wrappers.
const insideMax = 4

func (w *world) fileInside(src []Value, depth int) bool {
	return slices.ContainsFunc(src, func(v Value) bool {
		if w.KindOf(v) == File {
			return true
		}
		name := v.TypeName()
		if wrapper := w.Wrapper(v); wrapper != nil && depth < insideMax && w.fileInside(w.inner(v, wrapper.Field), depth+1) {
			return true
		}
		if v.Known() {
			return name == "net/http.Dir" || !strings.HasPrefix(strings.TrimPrefix(name, "*"), "net/http.") && opensFiles(v.Type)
		}
		return slices.Contains(fileLike, name)
	})
}

// opensFiles reports whether t is a file system.
func opensFiles(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Open")
	f, ok := obj.(*types.Func)
	return ok && f.Signature().Results().Len() == 2 && shape.Is(f.Signature().Results().At(0).Type(), "net/http.File")
}
