package zerocopy

import (
	"context"
	"io"
	"net"
	"os"
	"reflect"
)

// layer is the hooks of one wrapper, with the context that ends their waiting. Hooks of the
// source are told what left it, hooks of the destination what reached it: an error between
// the two makes a difference.
type layer struct {
	ctx   context.Context
	hooks []Hook
	dst   bool
}

// from peels the source: it looks through wrappers down to what the bytes come from, and
// collects hooks and limits on the way. Only what adds nothing but hooks and limits is looked
// through, and only exact types: a struct that embeds a file or a connection may have a Read
// of its own, which must see every byte.
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

// outside makes a standard section of a file one of ours. Its own cursor is moved after
// every slice.
func (t *transfer) useStdSection(s *io.SectionReader) {
	inner, off, n := s.Outer()
	f, ok := inner.(*os.File)
	if !ok {
		return
	}
	pos, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return // it is read as any other reader, and says so itself
	}
	t.sectionBuf = Section{file: f, off: off, n: n, pos: pos}
	t.section, t.stdSection = &t.sectionBuf, s
}

// to peels the destination, as from does the source.
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
			t.addLayer(own.ctx, own.hooks, true)
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

// withoutFast returns the file or connection inside the structs with which os and net hide
// WriteTo or ReadFrom from io.Copy when they fall back to it; nil for all else. They hide
// the method to end a recursion, not the file, and are known by name: should a future Go
// name them otherwise, such a copy goes through memory.
func unwrapStd(end any) any {
	v := reflect.ValueOf(end)
	if v.Kind() != reflect.Struct {
		return nil
	}
	field := ""
	switch typ := v.Type(); typ.PkgPath() + "." + typ.Name() {
	case "os.fileWithoutWriteTo", "os.fileWithoutReadFrom":
		field = "File"
	case "net.tcpConnWithoutWriteTo", "net.tcpConnWithoutReadFrom":
		field = "TCPConn"
	default:
		return nil
	}
	inner := v.FieldByName(field)
	if !inner.IsValid() || !inner.CanInterface() {
		return nil
	}
	switch end := inner.Interface().(type) {
	case *os.File:
		return end
	case *net.TCPConn:
		return end
	}
	return nil
}
