package zerocopy

import (
	"context"
	"io"
	"net"
	"os"
	"reflect"
	"slices"
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

// unwrapStd returns the file or connection inside the structs that hide WriteTo or ReadFrom when os
// and net fall back to io.Copy; nil for everything else. The structs only prevent a recursion. We
// recognize them by name (see layout.go): if a future Go release renames them, such copies go through
// memory.
func unwrapStd(end any) any {
	v := reflect.ValueOf(end)
	if v.Kind() != reflect.Struct {
		return nil
	}
	field := ""
	switch name := v.Type().PkgPath() + "." + v.Type().Name(); {
	case slices.Contains(layout.hidingFile, name):
		field = layout.file
	case slices.Contains(layout.hidingConn, name):
		field = layout.tcpConn
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
