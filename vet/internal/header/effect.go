package header

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// subject is the response that is followed, or its headers where a function got only those.
type subject struct {
	response, header ssa.Value
}

// isResponse reports whether v is the response.
func (s subject) isResponse(v ssa.Value) bool { return s.response != nil && root(v) == s.response }

// isHeader reports whether v is the response's headers.
func (s subject) isHeader(v ssa.Value) bool {
	v = root(v)
	if s.header != nil && v == s.header {
		return true
	}
	call, ok := v.(*ssa.Call)
	return ok && call.Call.IsInvoke() && call.Call.Method.Name() == "Header" && s.isResponse(call.Call.Value)
}

// controls reports whether v is a controller of the response.
func (s subject) controls(v ssa.Value) bool {
	call, ok := root(v).(*ssa.Call)
	return ok && len(call.Call.Args) == 1 && s.isResponse(call.Call.Args[0])
}

// effect returns what an instruction does to the response.
func (f *Finder) effect(instr ssa.Instruction, s subject) State {
	switch instr := instr.(type) {
	case *ssa.MapUpdate:
		if s.isHeader(instr.Map) {
			return set(instr.Key, nil)
		}
	case *ssa.Store:
		// A variable is followed; a field may be read by anyone.
		if _, local := instr.Addr.(*ssa.Alloc); !local && (s.isResponse(instr.Val) || s.isHeader(instr.Val)) {
			return State{Unknown: true}
		}
	case *ssa.MakeClosure:
		return f.closure(instr, s)
	case *ssa.Call:
		return f.call(instr, s)
	case *ssa.Go:
		return f.call(instr, s)
	}
	return State{}
}

// call returns what a call does to the response.
func (f *Finder) call(call ssa.CallInstruction, s subject) State {
	c := call.Common()
	if c.IsInvoke() && s.isResponse(c.Value) {
		return method(c.Method.Name())
	}
	callee := origin(call)
	name := ""
	if callee != nil && callee.Object() != nil {
		name = callee.Object().(*types.Func).FullName()
	}
	if header, ok := strings.CutPrefix(name, "(net/http.Header)."); ok && s.isHeader(c.Args[0]) {
		switch header {
		case "Set", "Add":
			return set(c.Args[1], c.Args[2])
		case "Del":
			return deleted(c.Args[1])
		}
		return State{}
	}
	if strings.HasPrefix(name, "(*net/http.ResponseController).Flush") && s.controls(c.Args[0]) {
		return State{Framed: true}
	}
	var inner subject
	touched := false
	for i, arg := range c.Args {
		response, header := s.isResponse(arg), s.isHeader(arg)
		touched = touched || response || header
		if callee == nil || i >= len(callee.Params) {
			continue
		}
		if response {
			inner.response = callee.Params[i]
		} else if header {
			inner.header = callee.Params[i]
		}
	}
	switch {
	case harmless[name] || !touched:
		return State{}
	case writes[name]:
		return State{Framed: true}
	case callee != nil && callee.Blocks != nil:
		return f.whole(callee, inner)
	}
	return State{Unknown: true}
}

// closure returns what a closure does to a response that it shares with the function that makes it,
// whenever it runs; one that runs when that function ends comes too late to matter.
func (f *Finder) closure(c *ssa.MakeClosure, s subject) State {
	users := *c.Referrers()
	deferred := slices.ContainsFunc(users, func(user ssa.Instruction) bool { _, ok := user.(*ssa.Defer); return ok })
	if deferred && len(users) == 1 || !slices.ContainsFunc(c.Bindings, s.holds) {
		return State{}
	}
	fn := c.Fn.(*ssa.Function)
	if isBound(fn) {
		return State{Unknown: true}
	}
	return f.whole(fn, s)
}

// holds reports whether v is the response, its headers, or a variable with one of them.
func (s subject) holds(v ssa.Value) bool {
	if cell, ok := root(v).(*ssa.Alloc); ok {
		v = stored(cell)
	}
	return v != nil && (s.isResponse(v) || s.isHeader(v))
}

// method returns what a method of the response does to it.
func method(name string) State {
	switch name {
	case "Header", "WriteHeader":
		return State{}
	case "Write", "WriteString", "ReadFrom", "Flush", "FlushError", "Hijack":
		return State{Framed: true}
	}
	return State{Unknown: true}
}

// harmless are functions that get a response and set neither its length nor its encoding, or end it.
var harmless = map[string]bool{
	"net/http.Error":                 true,
	"net/http.NotFound":              true,
	"net/http.Redirect":              true,
	"net/http.SetCookie":             true,
	"net/http.MaxBytesReader":        true,
	"net/http.NewResponseController": true,
	"net/http.ServeContent":          true,
	"net/http.ServeFile":             true,
	"net/http.ServeFileFS":           true,
}

// writes are functions that write to a response that they get.
var writes = map[string]bool{
	"fmt.Fprint":     true,
	"fmt.Fprintf":    true,
	"fmt.Fprintln":   true,
	"io.WriteString": true,
	"io.Copy":        true,
	"io.CopyN":       true,
	"io.CopyBuffer":  true,
}

// set returns what setting a header does; value is nil if it is not known.
func set(key, value ssa.Value) State {
	name, ok := text(key)
	if !ok {
		return State{Unknown: true}
	}
	switch strings.ToLower(name) {
	case "content-length":
		return State{Length: true}
	case "transfer-encoding":
		return State{Framed: true}
	case "content-encoding":
		encoding, known := "", false
		if value != nil {
			encoding, known = text(value)
		}
		return State{Encoded: !known || encoding != "" && !strings.EqualFold(encoding, "identity")}
	}
	return State{}
}

// deleted returns what deleting a header does. Whether an encoding is still set after it is not followed.
func deleted(key ssa.Value) State {
	name, ok := text(key)
	return State{Unknown: !ok || strings.EqualFold(name, "Content-Encoding")}
}

// text returns the constant string v, also one that http.CanonicalHeaderKey returns.
func text(v ssa.Value) (string, bool) {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value != nil && v.Value.Kind() == constant.String {
			return constant.StringVal(v.Value), true
		}
	case *ssa.Call:
		callee := v.Call.StaticCallee()
		if callee != nil && callee.String() == "net/http.CanonicalHeaderKey" {
			return text(v.Call.Args[0])
		}
	case *ssa.ChangeType:
		return text(v.X)
	}
	return "", false
}

// root returns where v comes from: through interfaces, assertions, variables that are assigned once, and
// variables of the functions around a closure.
func root(v ssa.Value) ssa.Value {
	for range 64 {
		next := from(v)
		if next == nil {
			return v
		}
		v = next
	}
	return v
}

// from returns the value that v is another form of, nil if it is none.
func from(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.ChangeInterface:
		return v.X
	case *ssa.ChangeType:
		return v.X
	case *ssa.MakeInterface:
		return v.X
	case *ssa.TypeAssert:
		return v.X
	case *ssa.Extract:
		if assert, ok := v.Tuple.(*ssa.TypeAssert); ok && v.Index == 0 {
			return assert.X
		}
	case *ssa.UnOp:
		if v.Op == token.MUL {
			if cell, ok := root(v.X).(*ssa.Alloc); ok {
				return stored(cell)
			}
		}
	case *ssa.FreeVar:
		return binding(v)
	}
	return nil
}

// stored returns the only value that is stored in a variable, nil if there are more.
func stored(cell *ssa.Alloc) ssa.Value {
	var value ssa.Value
	for _, ref := range *cell.Referrers() {
		if s, ok := ref.(*ssa.Store); ok && s.Addr == cell {
			if value != nil {
				return nil
			}
			value = s.Val
		}
	}
	return value
}

// binding returns what the function around a closure binds its variable v to.
func binding(v *ssa.FreeVar) ssa.Value {
	fn := v.Parent()
	for i, free := range fn.FreeVars {
		if free != v || fn.Parent() == nil {
			continue
		}
		for _, b := range fn.Parent().Blocks {
			for _, instr := range b.Instrs {
				if c, ok := instr.(*ssa.MakeClosure); ok && c.Fn == fn {
					return c.Bindings[i]
				}
			}
		}
	}
	return nil
}

// closureOf returns the function of a closure that is called through a variable, nil if it is none.
func closureOf(v ssa.Value) *ssa.Function {
	switch v := root(v).(type) {
	case *ssa.MakeClosure:
		return v.Fn.(*ssa.Function)
	case *ssa.Function:
		return v
	}
	return nil
}
