package flow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A value is followed backwards, from where it is used to where it was made. Two things are remembered on
// the way. The first is the calls whose results were followed into the callee: a parameter of that callee
// is then the argument of that very call, and not of all calls. The second is the type assertions: what
// can't have passed them is left out. Stores are taken as if each could have come last, except for local
// variables that the SSA form has resolved.

// The bounds of one query. What lies beyond is unknown. Real queries take some ten steps.
const (
	stepsMax   = 4096
	framesMax  = 8 // calls in calls
	invokesMax = 3 // calls through interfaces to find out the receiver of another
	assertsMax = 4
)

// frame is a call whose result is followed in the callee.
type frame struct {
	call  ssa.CallInstruction // nil if it is any call from elsewhere
	fn    *ssa.Function
	up    *frame
	depth int
}

// guard is a type that what is followed turns out to have.
type guard struct {
	t     types.Type
	at    ssa.Value // the *ssa.TypeAssert, or the call of an instance of a generic function
	up    *guard
	depth int
}

// step is what a trace has seen.
type step struct {
	v ssa.Value
	f *frame
	g *guard
	h *ssa.Function
}

// trace collects the values that may arrive at one place.
type trace struct {
	p      *world
	seen   map[step]bool
	have   map[Value]bool
	inside map[Value]bool // the structs whose fields were followed
	found  []Value
	steps  *int // shared with the traces that are part of the same query

	// What follows is known of the place where the trace is.
	handler *ssa.Function // the one that an http.HandlerFunc calls, if its ServeHTTP was just entered from there
	calls   []ssa.CallInstruction
	paths   map[Value][]ssa.CallInstruction // the calls from a value to the place where the trace began, the last first
}

func (p *world) newTrace() *trace {
	return &trace{p: p, seen: map[step]bool{}, have: map[Value]bool{}, inside: map[Value]bool{}, steps: new(int),
		paths: map[Value][]ssa.CallInstruction{}}
}

// part returns a trace for a part of the same query.
func (t *trace) part() *trace {
	part := t.p.newTrace()
	part.steps = t.steps
	return part
}

// follow returns the values that may arrive at v in the context of f.
func (t *trace) follow(v ssa.Value, f *frame) []Value {
	t.value(v, f.in(v), nil)
	if len(t.found) == 0 {
		t.found = append(t.found, Value{Type: v.Type(), At: v})
	}
	return t.settle(v)
}

// settle returns what was found. All of it is sure if all types are known. A query that was too large ends
// where it began, at v.
func (t *trace) settle(v ssa.Value) []Value {
	if *t.steps > stepsMax {
		return []Value{{Type: v.Type(), At: v}}
	}
	sure := true
	for _, v := range t.found {
		sure = sure && v.Known()
	}
	for i := range t.found {
		t.found[i].Sure = sure
	}
	return t.found
}

// in returns f if v is a value of its function, and otherwise no context.
func (f *frame) in(v ssa.Value) *frame {
	if f == nil || v.Parent() != f.fn {
		return nil
	}
	return f
}

// enter returns the context of a call's callee.
func (t *trace) enter(call ssa.CallInstruction, fn *ssa.Function, up *frame) *frame {
	f := frame{call: call, fn: fn, up: up, depth: 1}
	if up != nil {
		f.depth = up.depth + 1
	}
	if f.depth > framesMax {
		return nil
	}
	if have := t.p.frames[f]; have != nil {
		return have
	}
	t.p.frames[f] = &f
	return &f
}

// narrow adds a guard.
func (g *guard) narrow(t types.Type, at ssa.Value) *guard {
	depth := 1
	for up := g; up != nil; up = up.up {
		if types.Identical(up.t, t) {
			return g
		}
		depth++
	}
	if depth > assertsMax {
		return g
	}
	return &guard{t, at, g, depth}
}

// value follows v.
func (t *trace) value(v ssa.Value, f *frame, g *guard) {
	s := step{v, f, g, t.handler}
	if t.seen[s] {
		return
	}
	*t.steps++
	if *t.steps > stepsMax {
		return
	}
	t.seen[s] = true
	switch v := v.(type) {
	case *ssa.MakeInterface:
		t.value(v.X, f, g)
	case *ssa.ChangeInterface:
		t.value(v.X, f, g)
	case *ssa.ChangeType:
		if types.Identical(v.X.Type(), v.Type()) || types.IsInterface(v.X.Type()) {
			t.value(v.X, f, g)
		} else {
			t.end(Value{Type: v.Type(), At: v}, g)
		}
	case *ssa.TypeAssert:
		t.value(v.X, f, g.narrow(v.AssertedType, v))
	case *ssa.Phi:
		for _, edge := range v.Edges {
			t.value(edge, f, g)
		}
	case *ssa.Extract:
		t.extract(v, f, g)
	case *ssa.Call:
		t.result(v, v, 0, f, g)
	case *ssa.Parameter:
		t.parameter(v, f, g)
	case *ssa.UnOp:
		t.unop(v, f, g)
	case *ssa.Field:
		t.field(v, v.X.Type(), v.Field, g)
	case *ssa.Const:
		if !v.IsNil() {
			t.end(Value{Type: v.Type(), At: v}, g)
		}
	default:
		t.end(Value{Type: v.Type(), At: v, frame: f}, g)
	}
}

// extract follows one result of a call or of a checked type assertion.
func (t *trace) extract(e *ssa.Extract, f *frame, g *guard) {
	switch tuple := e.Tuple.(type) {
	case *ssa.Call:
		t.result(tuple, e, e.Index, f, g)
	case *ssa.TypeAssert:
		t.value(tuple.X, f, g.narrow(tuple.AssertedType, e))
	default:
		t.end(Value{Type: e.Type(), At: e}, g)
	}
}

// parameter follows the arguments of the call that led here, or else of all calls that are known.
func (t *trace) parameter(v *ssa.Parameter, f *frame, g *guard) {
	fn := v.Parent()
	i := paramIndex(v)
	if f != nil && f.fn == fn {
		if f.call == nil {
			t.end(Value{Type: v.Type(), At: v, kind: kindOfParam(v)}, g)
			return
		}
		if arg := argument(f.call, i); arg != nil {
			t.value(arg, f.up.in(arg), g)
			return
		}
	}
	calls := t.p.index.callsOf(fn)
	if len(calls) == 0 || t.p.index.hasUnknownCallers(fn) {
		t.end(Value{Type: v.Type(), At: v, kind: kindOfParam(v)}, g)
	}
	handler := t.handler
	for _, call := range calls {
		arg := argument(call, i)
		if arg == nil || handler != nil && !t.mayCall(call, handler) {
			continue
		}
		t.handler = nil
		if caller := call.Parent(); caller.String() == "(net/http.HandlerFunc).ServeHTTP" {
			t.handler = fn
		}
		t.calls = append(t.calls, call)
		t.value(arg, nil, g)
		t.calls = t.calls[:len(t.calls)-1]
	}
	t.handler = handler
}

// mayCall reports whether a call of the ServeHTTP of an http.Handler may be one of an http.HandlerFunc that is fn. All
// functions that are a HandlerFunc somewhere are called by one method: without this each middleware would be
// around each.
func (t *trace) mayCall(call ssa.CallInstruction, fn *ssa.Function) bool {
	common := call.Common()
	recv := common.Value
	if !common.IsInvoke() {
		recv = common.Args[0]
	}
	may, known := t.p.handlers[handling{call, fn}]
	if known {
		return may
	}
	t.p.handlers[handling{call, fn}] = true // while it is looked for
	values := t.p.newTrace().follow(recv, nil)
	if slices.ContainsFunc(values, Value.Known) { // what else another module may pass here is not of this program
		values = slices.DeleteFunc(values, func(v Value) bool { return !v.Known() })
	}
	may = slices.ContainsFunc(values, func(v Value) bool {
		conv, ok := v.At.(*ssa.ChangeType)
		if !ok {
			return !v.Known() || v.TypeName() == "net/http.HandlerFunc"
		}
		switch x := conv.X.(type) {
		case *ssa.Function:
			return t.p.index.source(x) == fn
		case *ssa.MakeClosure:
			return t.p.index.source(x.Fn.(*ssa.Function)) == fn
		}
		return true
	})
	t.p.handlers[handling{call, fn}] = may
	return may
}

// handling is a call of a handler, and a function that it may be.
type handling struct {
	call ssa.CallInstruction
	fn   *ssa.Function
}

func paramIndex(v *ssa.Parameter) int {
	for i, param := range v.Parent().Params {
		if param == v {
			return i
		}
	}
	panic("thresh: bug: a parameter that its function does not have")
}

// argument returns what a call passes as the i-th parameter of the callee, whose first is the receiver if
// it is a method.
func argument(call ssa.CallInstruction, i int) ssa.Value {
	common := call.Common()
	args := common.Args
	if common.IsInvoke() {
		if i == 0 {
			return common.Value
		}
		i--
	}
	if i >= len(args) {
		return nil
	}
	return args[i]
}

// unop follows a load.
func (t *trace) unop(v *ssa.UnOp, f *frame, g *guard) {
	switch addr := v.X.(type) {
	case *ssa.FieldAddr:
		t.field(v, addr.X.Type(), addr.Field, g)
		return
	case *ssa.Alloc, *ssa.FreeVar, *ssa.Global:
		if at := t.p.index.variableOf(addr); at != nil {
			t.variable(v, at, f, g)
			return
		}
	}
	t.end(Value{Type: v.Type(), At: v}, g)
}

// variable follows what is stored to a local or global variable.
func (t *trace) variable(load ssa.Value, at variable, f *frame, g *guard) {
	stores := t.p.index.stores[at]
	alloc, local := at.(*ssa.Alloc)
	if _, ok := load.Type().Underlying().(*types.Struct); ok && local {
		t.end(Value{Type: load.Type(), At: alloc, frame: f.in(alloc)}, g) // Inner knows what is stored to it
		return
	}
	if t.p.index.open(at, nil) || !local && len(stores) == 0 {
		t.end(Value{Type: load.Type(), At: load, kind: kindOfGlobal(at)}, g)
	}
	for _, store := range stores {
		t.value(store.Val, f.in(store.Val), g)
	}
}

// field follows what is stored to a field of any value of a struct.
func (t *trace) field(load ssa.Value, struct_ types.Type, i int, g *guard) {
	at := fieldOf(struct_, i)
	if at == nil {
		t.end(Value{Type: load.Type(), At: load}, g)
		return
	}
	stores := t.p.index.stores[at]
	if len(stores) == 0 || t.p.index.open(at, struct_) {
		t.end(Value{Type: load.Type(), At: load, kind: kindOfField(struct_, at)}, g)
	}
	if !types.IsInterface(load.Type()) {
		g = g.narrow(load.Type(), load) // instances of a generic struct have fields of other types
	}
	for _, store := range stores {
		t.value(store.Val, nil, g)
	}
}

// end adds a value that can't be followed further, if it can pass the guards, the innermost first.
func (t *trace) end(v Value, g *guard) {
	for ; g != nil; g = g.up {
		if !pass(&v, g) {
			return
		}
	}
	if !t.have[v] {
		t.have[v] = true
		t.found = append(t.found, v)
		t.paths[v] = slices.Clone(t.calls)
	}
}

// pass reports whether v can pass g, and says so in its type.
func pass(v *Value, g *guard) bool {
	if _, ok := g.at.(*ssa.Call); ok { // an instance: v's type may name parameters of types
		v.Type = g.t
		return true
	}
	concrete := !types.IsInterface(v.Type)
	if types.IsInterface(g.t) {
		iface, ok := g.t.Underlying().(*types.Interface)
		return !concrete || !ok || types.Implements(v.Type, iface)
	}
	if concrete {
		return types.Identical(v.Type, g.t)
	}
	if v.name != "" {
		return v.name == types.TypeString(g.t, nil)
	}
	*v = Value{Type: g.t, At: g.at}
	return true
}
