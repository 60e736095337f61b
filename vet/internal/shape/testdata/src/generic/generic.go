// Package generic has wrappers with type parameters.
package generic

import (
	"io"
	"net"
	"net/http"
)

type around[W io.Writer] struct { // want around:`w W: Write forwards$`
	w W
	n int
}

func (a *around[W]) Write(p []byte) (int, error) {
	n, err := a.w.Write(p)
	a.n += n
	return n, err
}

type tagged[T any] struct { // want tagged:`ResponseWriter net/http.ResponseWriter: Write forwards$`
	http.ResponseWriter
	tag T
}

func (t *tagged[T]) Write(p []byte) (int, error) { return t.write(p) }
func (t *tagged[T]) write(p []byte) (int, error) { return t.ResponseWriter.Write(p) }

type instance struct{ *tagged[int] } // want instance:`tagged \*generic.tagged\[int\]: Write promoted$`

type forwards[T any] struct{ net.Conn } // want forwards:`Conn net.Conn: Read promoted Write promoted ReadFrom forwards$`

func (f *forwards[T]) ReadFrom(r io.Reader) (int64, error) { return io.Copy(f.Conn, r) }

func tag[T any](w http.ResponseWriter, t T) *tagged[T] { // want tag:`0: \*generic.tagged\[T\] of 0$`
	return &tagged[T]{ResponseWriter: w, tag: t}
}

func tagInt(w http.ResponseWriter) http.ResponseWriter { // want tagInt:`0: \*generic.tagged\[T\] of 0$`
	return tag(w, 1)
}

type pair[A, B io.Reader] struct { // want pair:`a A: Read forwards$`
	a A
	b B
}

func (p pair[A, B]) Read(b []byte) (int, error) { return p.a.Read(b) }
