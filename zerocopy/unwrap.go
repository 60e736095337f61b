package zerocopy

import (
	"context"
	"io"
	"net"
	"os"
	"reflect"
	"slices"
	"sync"
)

// layer holds the hooks of one wrapper and the context that they receive. Hooks on the source count
// the bytes that left it, hooks on the destination those that reached it; after an error in between
// the two differ.
type layer struct {
	ctx   context.Context
	hooks []Hook
	dst   bool
}

// unwrapSource removes the wrappers of the source and collects their hooks and limits. It looks
// through exact types only, which add nothing but hooks and limits: a struct that embeds a file or
// a connection may define its own Read, and that Read must see every byte.
func (t *transfer) unwrapSource(r io.Reader) {
	for {
		switch v := r.(type) {
		case *io.LimitedReader:
			t.limits = append(t.limits, v)
			r = v.R
		case *Reader:
			t.addLayer(context.Background(), v.hooks, false)
			r = v.inner
		case *ReadSeeker:
			t.addLayer(context.Background(), v.hooks, false)
			r = v.inner
		case *Conn:
			t.addLayer(v.ctx, v.hooks.Read, false)
			r = v.inner
		case *Section:
			t.src, t.section = v, v
			return
		case *io.SectionReader:
			t.src = v
			t.useStdSection(v)
			return
		default:
			f := unwrapStd(r)
			if f == nil {
				t.src = r
				return
			}
			r = f.(io.Reader)
		}
	}
}

// useStdSection treats an io.SectionReader over a file as a Section. advance moves its cursor after
// every slice.
func (t *transfer) useStdSection(s *io.SectionReader) {
	inner, off, n := s.Outer()
	f, ok := inner.(*os.File)
	if !ok {
		return
	}
	pos, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return // then it is read like any other reader, and Read returns the error
	}
	t.sectionBuf = Section{file: f, off: off, n: n, pos: pos}
	t.section, t.stdSection = &t.sectionBuf, s
}

// unwrapDestination removes the wrappers of the destination, as unwrapSource does for the source.
func (t *transfer) unwrapDestination(w io.Writer) {
	for {
		switch v := w.(type) {
		case *Writer:
			t.addLayer(context.Background(), v.hooks, true)
			w = v.inner
		case *Conn:
			t.addLayer(v.ctx, v.hooks.Write, true)
			w = v.inner
		case interface{ response() *responseWriter }:
			own := v.response()
			t.addLayer(own.request.Context(), own.hooks, true)
			t.request = own.request
			w = own.inner
		default:
			f := unwrapStd(w)
			if f == nil {
				t.dst = w
				return
			}
			w = f.(io.Writer)
		}
	}
}

func (t *transfer) addLayer(ctx context.Context, hooks []Hook, dst bool) {
	if len(hooks) > 0 {
		t.layers = append(t.layers, layer{ctx, hooks, dst})
	}
}

// hiding are the types of structs in which os and net hide the WriteTo or ReadFrom of a file or connection when they
// fall back to io.Copy: true; and of other structs that embed one: false.
var hiding sync.Map // of reflect.Type to bool

// unwrapStd returns the file or connection inside the structs that hide WriteTo or ReadFrom when os and net fall back
// to io.Copy; nil for everything else. Those structs only prevent a recursion. Their types are learned from os and
// net: asked to write such a file or connection to a probe, they pass it in a struct of that type.
func unwrapStd(end any) any {
	typ := reflect.TypeOf(end)
	if typ == nil || typ.Kind() != reflect.Struct {
		return nil
	}
	inner := embedded(end)
	if inner == nil {
		return nil
	}
	hides, known := hiding.Load(typ)
	if !known {
		var p probe
		if p.ask(inner) != nil {
			return nil // it is closed
		}
		hides = slices.Contains(p.passed, typ)
		hiding.Store(typ, hides)
	}
	if hides == true {
		return inner
	}
	return nil
}

// probe is an end of a copy that moves no bytes, and notes the type of the other end.
type probe struct{ passed []reflect.Type }

func (p *probe) note(end any) (int64, error) {
	p.passed = append(p.passed, reflect.TypeOf(end))
	return 0, nil
}

// ask has end copy from the probe, and to it.
func (p *probe) ask(end any) (err error) {
	if from, ok := end.(io.ReaderFrom); ok {
		_, err = from.ReadFrom(p)
	}
	if to, ok := end.(io.WriterTo); ok && err == nil {
		_, err = to.WriteTo(p)
	}
	return err
}

func (p *probe) ReadFrom(r io.Reader) (int64, error) { return p.note(r) }
func (p *probe) WriteTo(w io.Writer) (int64, error)  { return p.note(w) }
func (p *probe) Read([]byte) (int, error)            { return 0, io.EOF }
func (p *probe) Write(b []byte) (int, error)         { return len(b), nil }

// embedded returns the file or connection that end embeds, if it is a struct or points to one.
func embedded(end any) any {
	v := reflect.Indirect(reflect.ValueOf(end))
	if v.Kind() != reflect.Struct {
		return nil
	}
	for i := range v.NumField() {
		if f := v.Field(i); v.Type().Field(i).Anonymous && f.Kind() == reflect.Pointer && f.CanInterface() && !f.IsNil() {
			switch inner := f.Interface().(type) {
			case *os.File, *net.TCPConn, *net.UnixConn:
				return inner
			}
		}
	}
	return nil
}

// mayBypass reports whether end may have its WriteTo or ReadFrom, which is the method of Fast, from an embedded field
// while its Read or Write is its own: that would be bypassed. Nothing shows which methods are an embedded field's, but
// a type without a name has no others.
func mayBypass[Fast any](end any) bool {
	return typeMayBypass(reflect.TypeOf(end), reflect.TypeFor[Fast]())
}

func typeMayBypass(typ, fast reflect.Type) bool {
	if typ != nil && typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ == nil || typ.Kind() != reflect.Struct {
		return false
	}
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous && (f.Type.Implements(fast) || reflect.PointerTo(f.Type).Implements(fast)) &&
			(typ.Name() != "" || typeMayBypass(f.Type, fast)) {
			return true
		}
	}
	return false
}
