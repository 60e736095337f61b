// Package makes has functions that return wrappers.
package makes

import (
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
)

type rw struct { // want rw:`ResponseWriter net/http.ResponseWriter: Write promoted$`
	http.ResponseWriter
	code int
}

type rd struct{ r io.Reader } // want rd:`r io.Reader: Read forwards$`

func (r *rd) Read(p []byte) (int, error) { return r.r.Read(p) }

func positional(w http.ResponseWriter) http.ResponseWriter { return &rw{w, 200} } // want positional:`0: \*makes.rw of 0$`

func keyed(w http.ResponseWriter) *rw { return &rw{ResponseWriter: w} } // want keyed:`0: \*makes.rw of 0$`

func byValue(w http.ResponseWriter) rw { return rw{ResponseWriter: w} } // want byValue:`0: makes.rw of 0$`

func empty() *rw { return &rw{} } // want empty:`0: \*makes.rw$`

func made() *rw { return new(rw) } // want made:`0: \*makes.rw$`

func later(w http.ResponseWriter) *rw { // want later:`0: \*makes.rw of 0$`
	r := &rw{code: 200}
	r.ResponseWriter = w
	return r
}

func newLater(w http.ResponseWriter) *rw { // want newLater:`0: \*makes.rw of 0$`
	r := new(rw)
	r.ResponseWriter = w
	return r
}

var pool = sync.Pool{New: func() any { return new(rw) }}

func pooled(w http.ResponseWriter) *rw { // want pooled:`0: \*makes.rw of 0$`
	r := pool.Get().(*rw)
	r.ResponseWriter = w
	return r
}

func second(name string, r io.Reader) (string, io.Reader) { return name, &rd{r} } // want second:`1: \*makes.rd of 1$`

func failing(r io.Reader) (io.Reader, error) { // want failing:`0: \*makes.rd of 0$`
	if r == nil {
		return nil, errors.New("no reader")
	}
	return &rd{r}, nil
}

func sometimes(r io.Reader, wrap bool) io.Reader { // want sometimes:`0: \*makes.rd of 0, 0: parameter 0$`
	if wrap {
		return &rd{r}
	}
	return r
}

func reassigned(r io.Reader) io.Reader { // want reassigned:`0: parameter 0, 0: \*makes.rd of 0$`
	r = &rd{r}
	return r
}

func namedResult(r io.Reader) (out io.Reader) { // want namedResult:`0: \*makes.rd of 0$`
	out = &rd{r}
	return
}

func calls(r io.Reader) (io.Reader, error) { return failing(r) } // want calls:`0: \*makes.rd of 0$`

func through(r io.Reader) io.Reader { return same(&rd{r}) } // want through:`0: \*makes.rd of 0$`

func same(r io.Reader) io.Reader { return r } // want same:`0: parameter 0$`

func asserts(r io.Reader) io.ReadSeeker { // want asserts:`0: parameter 0$`
	return r.(io.ReadSeeker)
}

func converts(r io.Reader) io.Reader { return io.Reader(&rd{io.Reader(r)}) } // want converts:`0: \*makes.rd of 0$`

func unknown(r io.Reader) io.Reader { // want unknown:`0: \*makes.rd of 0, 0: io.Reader$`
	if r != nil {
		return &rd{r}
	}
	return elsewhere
}

var elsewhere io.Reader

func dials() (net.Conn, error) { return net.Dial("tcp", "localhost:1") }

func recursive(r io.Reader, n int) io.Reader { // want recursive:`0: \*makes.rd of 0, 0: io.Reader$`
	if n == 0 {
		return &rd{r}
	}
	return recursive(r, n-1)
}

func closure(r io.Reader) func() io.Reader { return func() io.Reader { return &rd{r} } }

func nothing(r io.Reader) error { return nil }

type server struct{}

func (server) wrap(w http.ResponseWriter) *rw { return &rw{ResponseWriter: w} } // want wrap:`0: \*makes.rw of 0$`
