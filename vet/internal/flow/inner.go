package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// Inner returns what may be inside of v: in the field of a struct that the package makes itself (name is
// then the field's), in an io.LimitedReader, io.SectionReader, bufio.Reader and the like (name is then
// ""), in a wrapper made by a function that shape knows (name is ""). It returns nil if v is nothing that
// holds another value, or if it can't be told what it holds. It is safe for concurrent use.
func (p *world) Inner(v Value, name string) []Value {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.inner(v, name)
}

func (p *world) inner(v Value, name string) []Value {
	if call, result := callOf(v.At); call != nil {
		if args := p.held(call, result); len(args) > 0 {
			return p.followAll(args, v.frame)
		}
	}
	if name == "" && shape.Is(shape.Deref(v.Type), "io.LimitedReader") {
		name = "R"
	}
	s, ok := shape.Deref(v.Type).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for i := range s.NumFields() {
		if s.Field(i).Name() == name {
			t := p.newTrace()
			t.inField(v, i)
			return t.settle(v.At)
		}
	}
	return nil
}

// held returns the arguments of a call that its result holds.
func (p *world) held(call *ssa.Call, result int) []ssa.Value {
	callee := calleeOf(call.Common())
	if callee == nil {
		return nil
	}
	if m := makers[shape.FullName(callee)]; m.holds > 0 && result == 0 {
		arg := argument(call, m.holds-1)
		if callee.Signature().Variadic() {
			return elements(arg)
		}
		return []ssa.Value{arg}
	}
	var args []ssa.Value
	for _, m := range p.makes(callee) {
		if m.Result == result && m.Wrapper != nil && m.Param >= 0 {
			args = append(args, argument(call, m.Param+shift(callee)))
		}
	}
	return args
}

// elements returns the elements of a slice that is made where it is used, as that of a variadic call.
func elements(v ssa.Value) []ssa.Value {
	slice, ok := v.(*ssa.Slice)
	if !ok {
		return nil
	}
	array, ok := slice.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var found []ssa.Value
	for _, user := range *array.Referrers() {
		if at, ok := user.(*ssa.IndexAddr); ok {
			found = append(found, stored(at)...)
		}
	}
	return found
}

// stored returns what is stored to an address by the very value that holds it.
func stored(addr ssa.Value) []ssa.Value {
	var found []ssa.Value
	for _, user := range *addr.Referrers() {
		if store, ok := user.(*ssa.Store); ok && store.Addr == addr {
			found = append(found, store.Val)
		}
	}
	return found
}

// inField follows what may be in the i-th field of v, a struct or a pointer to one. If the package makes v
// itself, these are the stores to that field of that variable, what was in the structs that were assigned
// to it, and the stores of which it can't be told which variable they change.
func (t *trace) inField(v Value, i int) {
	if _, zero := v.At.(*ssa.Const); zero || t.inside[v] {
		return
	}
	t.inside[v] = true
	index := t.p.index
	field := fieldOf(v.Type, i)
	alloc, ours := v.At.(*ssa.Alloc)
	initialised := false
	for _, store := range index.stores[field] {
		var at ssa.Value
		if addr, ok := store.Addr.(*ssa.FieldAddr); ok {
			at = addr.X
		}
		_, local := at.(*ssa.Alloc)
		if ours && local && at != alloc {
			continue
		}
		initialised = initialised || ours && local
		t.value(store.Val, v.frame.in(store.Val), nil)
	}
	if ours {
		for _, store := range index.stores[alloc] {
			initialised = true
			for _, whole := range t.part().follow(store.Val, v.frame) {
				t.inField(whole, i)
			}
		}
	}
	if index.leaked[field] || !initialised && index.open(field, v.Type) {
		t.end(Value{Type: field.Type(), At: v.At}, nil)
	}
}

// followAll returns what may arrive at any of the values.
func (p *world) followAll(values []ssa.Value, f *frame) []Value {
	t := p.newTrace()
	for _, v := range values {
		t.value(v, f.in(v), nil)
	}
	return t.settle(values[0])
}
