package flow

import (
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// result follows the i-th result of a call. v is the call, or the *ssa.Extract of that result.
func (t *trace) result(call *ssa.Call, v ssa.Value, i int, f *frame, g *guard) {
	common := call.Common()
	if common.IsInvoke() {
		t.invoked(call, v, i, f, g)
		return
	}
	callee := common.StaticCallee()
	if named := calleeOf(common); named != nil && makers[shape.FullName(named)].of(i) {
		t.made(call, named, v, i, f, g) // what is known says more than a body
		return
	}
	if fn := origin(callee); fn != nil && len(fn.Blocks) > 0 && fn.Synthetic == "" {
		if fn != callee {
			g = g.instance(v, call)
		}
		t.returned(call, fn, i, f, g)
		return
	}
	if callee := calleeOf(common); callee != nil {
		t.made(call, callee, v, i, f, g)
		return
	}
	for _, fn := range t.p.index.callees[call] {
		if len(fn.Blocks) > 0 && fn.Synthetic == "" {
			t.returned(call, fn, i, f, g)
		} else {
			t.end(Value{Type: v.Type(), At: v}, g)
		}
	}
	if len(t.p.index.callees[call]) == 0 {
		t.end(Value{Type: v.Type(), At: v}, g)
	}
}

// instance adds a guard that gives the result of a generic function the type that it has in this call.
func (g *guard) instance(v ssa.Value, call *ssa.Call) *guard {
	if types.IsInterface(v.Type()) {
		return g
	}
	return g.narrow(v.Type(), call)
}

// returned follows what a function of the package returns.
func (t *trace) returned(call ssa.CallInstruction, fn *ssa.Function, i int, f *frame, g *guard) {
	inner := t.enter(call, fn, f)
	for instr := range instrsOf(fn) {
		if ret, ok := instr.(*ssa.Return); ok {
			t.value(ret.Results[i], inner.in(ret.Results[i]), g)
		}
	}
}

// invoked follows the result of a call through an interface into the methods of what the receiver may be.
func (t *trace) invoked(call *ssa.Call, v ssa.Value, i int, f *frame, g *guard) {
	common := call.Common()
	if t.p.active[call] {
		return // a method that returns what it returns
	}
	if len(t.p.active) >= invokesMax {
		t.end(Value{Type: v.Type(), At: v}, g)
		return
	}
	t.p.active[call] = true
	defer delete(t.p.active, call)
	for _, recv := range t.part().follow(common.Value, f) {
		t.method(call, recv, v, i, f, g)
	}
}

// method follows the result of a method of recv.
func (t *trace) method(call *ssa.Call, recv Value, v ssa.Value, i int, f *frame, g *guard) {
	method := call.Common().Method
	if recv.name != "" {
		name := "(" + recv.name + ")." + method.Name()
		if m, ok := makers[name]; ok && i == 0 {
			t.end(t.first(call, v, m, method, f), g)
			return
		}
	} else if !types.IsInterface(recv.Type) {
		obj, path, _ := types.LookupFieldOrMethod(recv.Type, true, method.Pkg(), method.Name())
		if m, ok := obj.(*types.Func); ok {
			fn := t.p.prog.FuncValue(m.Origin())
			if fn != nil && len(fn.Blocks) > 0 && len(path) == 1 {
				t.returned(call, fn, i, f, g)
				return
			}
			t.made(call, m.Origin(), v, i, f, g)
			return
		}
	}
	t.made(call, method, v, i, f, g)
}

// made follows a result of a function of another package.
func (t *trace) made(call *ssa.Call, callee *types.Func, v ssa.Value, i int, f *frame, g *guard) {
	name := shape.FullName(callee)
	if m, ok := makers[name]; ok && (i == 0 || types.Identical(v.Type(), callee.Signature().Results().At(0).Type())) {
		t.end(t.first(call, v, m, callee, f), g)
		return
	}
	known := false
	for _, m := range t.p.makes(callee) {
		if m.Result == i {
			t.makes(call, m, callee, v, f, g)
			known = true
		}
	}
	if !known {
		t.end(Value{Type: v.Type(), At: v, frame: f}, g)
	}
}

// makes follows a result that package shape knows.
func (t *trace) makes(call *ssa.Call, m shape.Makes, callee *types.Func, v ssa.Value, f *frame, g *guard) {
	if m.Wrapper == nil && m.Param >= 0 {
		t.value(argument(call, m.Param+shift(callee)), f, g)
		return
	}
	typ := t.p.typeNamed(m.Type, v.Type(), callee)
	t.end(Value{Type: typ, At: v, name: unexportedName(m.Type, typ), frame: f}, g)
}

// shift is the index of a callee's first parameter among the arguments.
func shift(callee *types.Func) int {
	if callee.Signature().Recv() != nil {
		return 1
	}
	return 0
}

// first is the first result of a function that makers knows, or another of the same type.
func (t *trace) first(call *ssa.Call, v ssa.Value, m maker, callee *types.Func, f *frame) Value {
	found := Value{Type: v.Type(), At: v, frame: f}
	name := m.typ
	if m.network != nil {
		network, constant := networkOf(call, callee)
		name = m.network[network]
		if !constant && m.network["udp"] != "" {
			found.kind = TCP // most likely
		}
	}
	if name != "" && types.IsInterface(v.Type()) {
		found.Type = t.p.typeNamed(name, v.Type(), callee)
		found.name = unexportedName(name, found.Type)
	}
	return found
}

// networkOf returns the kind of network that a call like net.Dial names: "tcp", "unix", "udp" …, and
// whether it names it by a constant.
func networkOf(call ssa.CallInstruction, callee *types.Func) (string, bool) {
	for i := range callee.Signature().Params().Len() {
		if callee.Signature().Params().At(i).Name() != "network" {
			continue
		}
		c, ok := argument(call, i+shift(callee)).(*ssa.Const)
		if ok && c.Value != nil && c.Value.Kind() == constant.String {
			return strings.TrimRight(constant.StringVal(c.Value), "46"), true
		}
	}
	return "", false
}

// typeNamed returns the type with a name like "*os.File", or t if it can't be found: a type that is not
// exported may be unknown outside of its package.
func (p *world) typeNamed(name string, t types.Type, near *types.Func) types.Type {
	path, pointer := strings.CutPrefix(name, "*")
	dot := strings.LastIndexByte(path, '.')
	if dot < 0 || near.Pkg() == nil {
		return t
	}
	packages := append([]*types.Package{near.Pkg(), p.packages[path[:dot]]}, near.Pkg().Imports()...)
	for _, pkg := range packages {
		if pkg == nil || pkg.Path() != path[:dot] {
			continue
		}
		if obj, ok := pkg.Scope().Lookup(path[dot+1:]).(*types.TypeName); ok {
			if pointer {
				return types.NewPointer(obj.Type())
			}
			return obj.Type()
		}
	}
	return t
}

// unexportedName returns name if t, an interface, can't say it.
func unexportedName(name string, t types.Type) string {
	if types.IsInterface(t) {
		return name
	}
	return ""
}

// callOf returns the call that v is a result of, and which one.
func callOf(v ssa.Value) (*ssa.Call, int) {
	switch v := v.(type) {
	case *ssa.Call:
		return v, 0
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return call, v.Index
		}
	}
	return nil, 0
}
