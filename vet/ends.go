package vet

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/thresh-dev/thresh/vet/internal/flow"
	"github.com/thresh-dev/thresh/vet/internal/shape"
)

// isLimited reports whether t is *io.LimitedReader, the type that net, os and net/http look through once.
func isLimited(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	return ok && shape.Is(p.Elem(), "io.LimitedReader")
}

// sends reports whether a file or connection may go to dst without a copy: whether a connection, a
// response of net/http, or a wrapper of one that forwards ReadFrom arrives there.
func sends(p *flow.Program, dst []flow.Value) bool {
	return slices.ContainsFunc(dst, func(v flow.Value) bool {
		switch p.KindOf(v) {
		case flow.TCP, flow.Response:
			return true
		case flow.Unknown:
			return isEnd(v.Type) || forwards(p.Wrapper(v))
		}
		return false
	})
}

// isEnd reports whether t is net.Conn, http.ResponseWriter, or an interface with the methods of one.
func isEnd(t types.Type) bool {
	if !types.IsInterface(t) {
		return false
	}
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool {
			obj, _, _ := types.LookupFieldOrMethod(t, false, nil, name)
			return obj == nil
		})
	}
	return has("Write", "Header", "WriteHeader") || has("Read", "Write", "RemoteAddr", "SetWriteDeadline")
}

// forwards reports whether a wrapper of a response or a connection hands the source of a copy on.
func forwards(w *shape.Wrapper) bool {
	return w != nil && w.ReadFrom == shape.Forwards && w.Roles&(shape.ResponseWriter|shape.Conn) != 0
}

// storesTo reports whether a file, opened to be written and not appended to, arrives at dst.
func storesTo(p *flow.Program, dst []flow.Value) bool {
	return slices.ContainsFunc(dst, func(v flow.Value) bool {
		return p.KindOf(v) == flow.File && truncates(v.At)
	})
}

// truncates reports whether a call is known to open a file without O_APPEND: the kernel refuses to move
// bytes to files with it.
func truncates(v ssa.Value) bool {
	return madeBy(v, "os.Create", "os.CreateTemp", "(*os.Root).Create") != nil
}

// madeBy returns the call that v is a result of, if it is one of the functions with these names.
func madeBy(v ssa.Value, names ...string) *ssa.Call {
	if e, ok := v.(*ssa.Extract); ok {
		v = e.Tuple
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return nil
	}
	if callee := call.Call.StaticCallee(); callee == nil || !slices.Contains(names, callee.String()) {
		return nil
	}
	return call
}

// sources returns what may arrive at src, and for limits what they limit.
func sources(p *flow.Program, src []flow.Value) []flow.Value {
	var found []flow.Value
	for _, v := range src {
		if !isLimited(v.Type) {
			found = append(found, v)
			continue
		}
		found = append(found, p.Inner(v, "")...)
	}
	return found
}

// forwarded returns the sources of a copy, and for wrappers whose WriteTo leaves the copy to what is inside
// them, that, if the copy asks for WriteTo.
func forwarded(p *flow.Program, c flow.Copy, src []flow.Value) []flow.Value {
	if c.Func != "io.Copy" && c.Func != "io.CopyBuffer" {
		return src
	}
	var found []flow.Value
	for _, v := range src {
		var inner []flow.Value
		if w := p.Wrapper(v); w != nil && (w.WriteTo == shape.Forwards || w.WriteTo == shape.Promoted) {
			inner = p.Inner(v, w.Field)
		}
		if inner == nil { // nothing, or it can't be told
			inner = []flow.Value{v}
		}
		found = append(found, inner...)
	}
	return found
}

// lost names what is lost when one of the values can't be seen by a connection or response: sendfile if
// it is a file, splice if it is a connection, "" if it is neither.
func lost(p *flow.Program, values []flow.Value) string {
	for _, v := range values {
		switch p.KindOf(v) {
		case flow.File:
			return "sendfile"
		case flow.TCP, flow.Unix:
			return "splice"
		}
	}
	return ""
}
