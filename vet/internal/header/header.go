// Package header follows a response through the functions of a package and says what was done to its
// headers before a call that sends the body.
package header

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// State is what may have happened to a response before a call, on one way to it.
type State struct {
	Encoded bool // Content-Encoding was set, and not to "identity"
	Length  bool // Content-Length was set
	Framed  bool // Transfer-Encoding was set, or the response was written to or flushed
	Unknown bool // the response or its headers went to code that can't be followed
	// Handler is true if the way begins in a function with the signature of an http.HandlerFunc, or of an
	// httprouter.Handle: nothing that sets a length comes before it.
	Handler bool
}

func (s *State) add(t State) {
	s.Encoded = s.Encoded || t.Encoded
	s.Length = s.Length || t.Length
	s.Framed = s.Framed || t.Framed
	s.Unknown = s.Unknown || t.Unknown
}

// Finder answers questions about the functions of one package.
type Finder struct {
	calls map[*ssa.Function][]ssa.CallInstruction // static calls in the package, by the function called
	known map[question]State
}

// question asks what a function does to a response.
type question struct {
	fn *ssa.Function
	subject
}

// New returns the Finder of a package's functions.
func New(funcs []*ssa.Function) *Finder {
	f := &Finder{map[*ssa.Function][]ssa.CallInstruction{}, map[question]State{}}
	for _, fn := range funcs {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if call, ok := instr.(ssa.CallInstruction); ok {
					if callee := origin(call); callee != nil {
						f.calls[callee] = append(f.calls[callee], call)
					}
				}
			}
		}
	}
	return f
}

// origin returns the function that a call runs, the generic one for an instance of it; nil if it can't be
// told, or its arguments are not all in the call.
func origin(call ssa.CallInstruction) *ssa.Function {
	callee := call.Common().StaticCallee()
	if callee == nil {
		callee = closureOf(call.Common().Value)
	}
	switch {
	case callee == nil || isBound(callee):
		return nil
	case callee.Origin() != nil:
		return callee.Origin()
	}
	return callee
}

// isBound reports whether fn is a method as a value, like w.Header().Set: its receiver is no argument.
func isBound(fn *ssa.Function) bool { return strings.HasPrefix(fn.Synthetic, "bound method") }

// The bounds of one question. What lies beyond is unknown.
const (
	callersMax = 6  // callers of callers
	pathsMax   = 64 // ways to a call
)

// Paths returns what may have been done to response w before at, once for each way through callers in
// the package.
func (f *Finder) Paths(at ssa.Instruction, w ssa.Value) []State {
	return f.paths(at, root(w), callersMax)
}

func (f *Finder) paths(at ssa.Instruction, w ssa.Value, depth int) []State {
	local := f.before(at, subject{response: w})
	param, ok := w.(*ssa.Parameter)
	if !ok || depth == 0 {
		local.Unknown = true
		return []State{local}
	}
	fn := at.Parent()
	for fn != param.Parent() && fn.Parent() != nil { // all of a function around a closure may run before it
		local.add(f.around(fn.Parent(), subject{response: w}, fn))
		fn = fn.Parent()
	}
	var all []State
	for _, call := range f.calls[fn] {
		args := call.Common().Args
		for _, s := range f.paths(call, root(args[slices.Index(fn.Params, param)]), depth-1) {
			s.add(local)
			all = append(all, s)
		}
		if len(all) > pathsMax {
			return []State{{Unknown: true}}
		}
	}
	if handles(fn.Signature) {
		local.Handler = true
		all = append(all, local)
	}
	if all == nil {
		all = []State{local}
	}
	return all
}

// handles reports whether a function or method has the signature of http.HandlerFunc, or of a handler of
// the router that hands on the parameters of a route.
func handles(s *types.Signature) bool {
	params := []string{"net/http.ResponseWriter", "*net/http.Request", "github.com/julienschmidt/httprouter.Params"}
	p := s.Params()
	if p.Len() < 2 || p.Len() > len(params) || s.Results().Len() > 0 || s.Variadic() {
		return false
	}
	for i := range p.Len() {
		if types.TypeString(types.Unalias(p.At(i).Type()), nil) != params[i] {
			return false
		}
	}
	return true
}

// before adds up what the function of at may do before at.
func (f *Finder) before(at ssa.Instruction, s subject) State {
	var sum State
	seen := map[*ssa.BasicBlock]bool{}
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		for _, p := range b.Preds {
			if !seen[p] {
				seen[p] = true
				sum.add(f.sum(p.Instrs, s, at))
				visit(p)
			}
		}
	}
	b := at.Block()
	visit(b)
	if !seen[b] {
		sum.add(f.sum(b.Instrs[:slices.Index(b.Instrs, at)], s, nil))
	}
	return sum
}

// sum adds up what instructions do, except for one.
func (f *Finder) sum(instrs []ssa.Instruction, s subject, without ssa.Instruction) State {
	var sum State
	for _, instr := range instrs {
		if instr != without {
			sum.add(f.effect(instr, s))
		}
	}
	return sum
}

// whole adds up what a function does. Of one that calls itself, a call counts once.
func (f *Finder) whole(fn *ssa.Function, s subject) State {
	q := question{fn, s}
	if known, ok := f.known[q]; ok {
		return known
	}
	f.known[q] = State{}
	f.known[q] = f.around(fn, s, nil)
	return f.known[q]
}

// around adds up what a function does, except for one of its closures.
func (f *Finder) around(fn *ssa.Function, s subject, without *ssa.Function) State {
	var sum State
	for _, b := range fn.Blocks {
		var closure ssa.Instruction
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.MakeClosure); ok && c.Fn == without {
				closure = instr
			}
		}
		sum.add(f.sum(b.Instrs, s, closure))
	}
	return sum
}

// Repeated reports whether a call may run more than once in its function.
func Repeated(at ssa.Instruction) bool {
	seen := map[*ssa.BasicBlock]bool{}
	var reaches func(b *ssa.BasicBlock) bool
	reaches = func(b *ssa.BasicBlock) bool {
		for _, s := range b.Succs {
			if s == at.Block() {
				return true
			}
			if !seen[s] {
				seen[s] = true
				if reaches(s) {
					return true
				}
			}
		}
		return false
	}
	return reaches(at.Block())
}
