package flow

import (
	"go/token"
	"go/types"
	"iter"
	"slices"
	"strings"

	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/ssa"

	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// index knows where the functions of a world are called and its variables are set.
type index struct {
	w        *world
	calls    map[*ssa.Function][]ssa.CallInstruction // of functions with bodies, also through interfaces and values
	callees  map[ssa.CallInstruction][]*ssa.Function // of calls of function values
	invokes  map[string][]ssa.CallInstruction        // calls through interfaces, by unexported names of methods
	escaped  map[*ssa.Function]bool                  // functions that are used as values: they have unknown callers
	closures map[*ssa.Function]*ssa.MakeClosure
	stores   map[variable][]*ssa.Store
	leaked   map[variable]bool // its address is used for more than to load and store
}

// variable is an *ssa.Alloc, an *ssa.Global, or the *types.Var of a struct's field, which stands for the
// fields of all values of the struct.
type variable interface{ Pos() token.Pos }

func newIndex(w *world) *index {
	x := &index{
		w:        w,
		calls:    map[*ssa.Function][]ssa.CallInstruction{},
		callees:  map[ssa.CallInstruction][]*ssa.Function{},
		invokes:  map[string][]ssa.CallInstruction{},
		escaped:  map[*ssa.Function]bool{},
		closures: map[*ssa.Function]*ssa.MakeClosure{},
		stores:   map[variable][]*ssa.Store{},
		leaked:   map[variable]bool{},
	}
	all := w.functions()
	funcs := slices.DeleteFunc(slices.Clone(all), isInstance)
	for _, f := range funcs { // first, since variables of closures are found through them
		for instr := range instrsOf(f) {
			if mc, ok := instr.(*ssa.MakeClosure); ok {
				x.closures[mc.Fn.(*ssa.Function)] = mc
			}
		}
	}
	for _, f := range funcs {
		for instr := range instrsOf(f) {
			x.add(f, instr)
		}
	}
	x.addDynamic(all)
	return x
}

// addDynamic adds the calls through interfaces and function values, as the analysis of variable types resolves them.
func (x *index) addDynamic(all []*ssa.Function) {
	set := map[*ssa.Function]bool{}
	for _, f := range all {
		set[f] = true
	}
	graph := vta.CallGraph(set, nil)
	for _, f := range all {
		if isInstance(f) || graph.Nodes[f] == nil {
			continue
		}
		for _, edge := range graph.Nodes[f].Out {
			callee := origin(edge.Callee.Func)
			if common := edge.Site.Common(); !common.IsInvoke() && common.StaticCallee() == nil {
				x.callees[edge.Site] = append(x.callees[edge.Site], callee)
			}
			if edge.Site.Common().StaticCallee() == nil && len(callee.Blocks) > 0 && !x.testOnly(f, callee) &&
				!slices.Contains(x.calls[callee], edge.Site) {
				x.calls[callee] = append(x.calls[callee], edge.Site)
			}
		}
	}
}

// isInstance reports whether f is, or is in, an instance of a generic function: what is known of that is known
// of its origin.
func isInstance(f *ssa.Function) bool {
	for ; f != nil; f = f.Parent() {
		if f.Origin() != nil && f.Origin() != f {
			return true
		}
	}
	return false
}

func (x *index) add(f *ssa.Function, instr ssa.Instruction) {
	switch instr := instr.(type) {
	case *ssa.Store:
		if v := x.variableOf(instr.Addr); v != nil && !x.testOnly(f, v) {
			x.stores[v] = append(x.stores[v], instr)
		}
	case *ssa.ChangeType:
		x.leakFields(instr)
	case ssa.CallInstruction:
		x.addCall(f, instr)
	}
	x.addUses(f, instr)
}

func (x *index) addCall(f *ssa.Function, call ssa.CallInstruction) {
	common := call.Common()
	if common.IsInvoke() {
		if name := common.Method.Name(); !token.IsExported(name) && !x.inTest(f.Pos()) {
			x.invokes[name] = append(x.invokes[name], call)
		}
		return
	}
	if callee := origin(common.StaticCallee()); callee != nil && !x.testOnly(f, callee) {
		x.calls[callee] = append(x.calls[callee], call)
	}
}

// addUses notes the functions and addresses that instr uses for more than to call, load and store.
func (x *index) addUses(f *ssa.Function, instr ssa.Instruction) {
	var callee *ssa.Value
	if call, ok := instr.(ssa.CallInstruction); ok {
		callee = &call.Common().Value
	}
	_, closing := instr.(*ssa.MakeClosure)
	var room [8]*ssa.Value
	for _, operand := range instr.Operands(room[:0]) {
		switch v := (*operand).(type) {
		case *ssa.Function:
			if operand != callee && !(closing && v.Parent() != nil) {
				x.escaped[x.source(v)] = true
			}
		case *ssa.MakeClosure:
			if fn := v.Fn.(*ssa.Function); operand != callee || fn.Synthetic != "" {
				x.escaped[x.source(fn)] = true
			}
		case *ssa.Alloc, *ssa.Global, *ssa.FieldAddr, *ssa.FreeVar:
			if leaks(instr, *operand) {
				if at := x.variableOf(v); at != nil && !x.testOnly(f, at) {
					x.leaked[at] = true
				}
			}
		}
	}
}

// leaks reports whether instr does more with an address than to load from it, to store to it, to take the
// address of a field, or to bind it to a closure, whose uses are looked at as well.
func leaks(instr ssa.Instruction, addr ssa.Value) bool {
	switch instr := instr.(type) {
	case *ssa.UnOp, *ssa.FieldAddr, *ssa.MakeClosure, *ssa.DebugRef:
		return false
	case *ssa.Store:
		return instr.Val == addr
	}
	return true
}

// leakFields notes that the fields of structs which are converted to each other may get what was stored to
// the other's.
func (x *index) leakFields(c *ssa.ChangeType) {
	for _, t := range []types.Type{c.X.Type(), c.Type()} {
		if s, ok := shape.Deref(t).Underlying().(*types.Struct); ok {
			for field := range s.Fields() {
				x.leaked[field.Origin()] = true
			}
		}
	}
}

// variableOf returns the variable at an address, nil if there is none that can be followed.
func (x *index) variableOf(addr ssa.Value) variable {
	switch a := addr.(type) {
	case *ssa.Alloc:
		return a
	case *ssa.Global:
		return a
	case *ssa.FieldAddr:
		if field := fieldOf(a.X.Type(), a.Field); field != nil {
			return field
		}
	case *ssa.FreeVar:
		if mc := x.closures[a.Parent()]; mc != nil {
			return x.variableOf(mc.Bindings[slices.Index(a.Parent().FreeVars, a)])
		}
	}
	return nil
}

// open reports whether code outside of the package, or code that can't be followed, may set v. struct_ is
// the type that has it, if it is a field.
func (x *index) open(v variable, struct_ types.Type) bool {
	if x.leaked[v] {
		return true
	}
	switch v := v.(type) {
	case *ssa.Global:
		return v.Pkg == nil || !x.w.own[v.Pkg.Pkg] || v.Object() == nil || v.Object().Exported() && !x.w.closed(v.Pkg.Pkg)
	case *types.Var:
		named, ok := shape.Deref(struct_).(*types.Named)
		if !ok || !x.w.own[v.Pkg()] {
			return true // values of unnamed structs are converted silently
		}
		return v.Exported() && named.Obj().Exported() && !x.w.closed(v.Pkg())
	}
	return false
}

// hasUnknownCallers reports whether f may be called from elsewhere, or through a value or an interface.
func (x *index) hasUnknownCallers(f *ssa.Function) bool {
	if x.escaped[f] || f.Object() == nil && f.Parent() == nil {
		return true
	}
	exported := f.Object() != nil && f.Object().Exported()
	return exported && (f.Signature.Recv() != nil || f.Pkg == nil || !x.w.closed(f.Pkg.Pkg))
}

// callsOf returns the calls of f that are known. Who may implement an interface with an unexported method is known even
// where no value is.
func (x *index) callsOf(f *ssa.Function) []ssa.CallInstruction {
	calls := x.calls[f]
	if f.Signature.Recv() == nil || f.Pkg == nil || token.IsExported(f.Name()) {
		return calls
	}
	calls = slices.Clip(calls)
	for _, call := range x.invokes[f.Name()] {
		if !slices.Contains(calls, call) && call.Common().Method.Pkg() == f.Pkg.Pkg {
			calls = append(calls, call)
		}
	}
	return calls
}

// source returns the function that f is made of, if it is a method value, a method expression or an
// instance.
func (x *index) source(f *ssa.Function) *ssa.Function {
	if obj, ok := f.Object().(*types.Func); ok {
		if s := x.w.prog.FuncValue(obj.Origin()); s != nil {
			return s
		}
	}
	return origin(f)
}

// testOnly reports whether f is in a test file, and what it uses is not.
func (x *index) testOnly(f *ssa.Function, used interface{ Pos() token.Pos }) bool {
	return x.inTest(f.Pos()) && used.Pos().IsValid() && !x.inTest(used.Pos())
}

func (x *index) inTest(pos token.Pos) bool {
	file := x.w.prog.Fset.File(pos)
	return file != nil && strings.HasSuffix(file.Name(), "_test.go")
}

// fieldOf returns a field of the struct type t, or of the struct that t points to; nil if t is neither.
func fieldOf(t types.Type, i int) *types.Var {
	if s, ok := shape.Deref(t).Underlying().(*types.Struct); ok {
		return s.Field(i).Origin()
	}
	return nil
}

func origin(f *ssa.Function) *ssa.Function {
	if f != nil && f.Origin() != nil {
		return f.Origin()
	}
	return f
}

func instrsOf(f *ssa.Function) iter.Seq[ssa.Instruction] {
	return func(yield func(ssa.Instruction) bool) {
		for _, block := range f.Blocks {
			for _, instr := range block.Instrs {
				if !yield(instr) {
					return
				}
			}
		}
	}
}

// CallsIn returns the calls of a function, without those of the closures in it.
func CallsIn(f *ssa.Function) iter.Seq[ssa.CallInstruction] {
	return func(yield func(ssa.CallInstruction) bool) {
		for instr := range instrsOf(f) {
			if call, ok := instr.(ssa.CallInstruction); ok && !yield(call) {
				return
			}
		}
	}
}
