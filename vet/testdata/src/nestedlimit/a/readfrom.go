package a

import (
	"bufio"
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"nestedlimit/dep"
)

// A response that renews its deadline now and then.
type idle struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (w *idle) ReadFrom(r io.Reader) (total int64, err error) {
	rf := w.ResponseWriter.(io.ReaderFrom)
	for {
		w.control.SetWriteDeadline(time.Now().Add(time.Minute))
		n, err := rf.ReadFrom(io.LimitReader(r, 1<<20)) // want `^io.Limit.* pass a new \*io.LimitedReader around its R$`
		total += n
		if err != nil || n < 1<<20 {
			return total, err
		}
	}
}

// The same by io.CopyN.
type slices struct{ http.ResponseWriter }

func (w slices) ReadFrom(src io.Reader) (total int64, err error) {
	for err == nil {
		var n int64
		n, err = io.CopyN(w.ResponseWriter, src, 1<<20) // want `io.CopyN around the reader of ReadFrom nests two limits`
		total += n
	}
	if err == io.EOF {
		err = nil
	}
	return total, err
}

// A connection that allows so many bytes.
type quota struct {
	net.Conn
	left int64
}

func (q *quota) ReadFrom(r io.Reader) (int64, error) {
	lr := &io.LimitedReader{R: r, N: q.left} // want `an io.LimitedReader around the reader of ReadFrom nests two limits`
	n, err := io.Copy(q.Conn, lr)
	q.left -= n
	return n, err
}

// The inner connection in a field of its own type.
type throttled struct {
	inner *net.TCPConn
	net.Conn
}

func (t *throttled) ReadFrom(r io.Reader) (int64, error) {
	return t.inner.ReadFrom(io.LimitReader(r, 1<<16)) // want `io.LimitReader around the reader of ReadFrom`
}

// A generic wrapper.
type wrapped[W http.ResponseWriter] struct {
	http.ResponseWriter
	extra W
}

func (w *wrapped[W]) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(w.ResponseWriter, io.LimitReader(r, 1<<20)) // want `io.LimitReader around the reader of ReadFrom`
}

// In a helper that only ReadFrom calls.
type helps2 struct{ net.Conn }

func (h helps2) slice(r io.Reader) (int64, error) {
	return io.CopyN(h.Conn, r, 1<<20) // want `io.CopyN around the reader of ReadFrom nests two limits`
}

func (h helps2) ReadFrom(r io.Reader) (int64, error) { return h.slice(r) }

// What is inside forwards ReadFrom, in this package and in another one.
type base struct{ http.ResponseWriter }

func (b *base) ReadFrom(r io.Reader) (int64, error) { return io.Copy(b.ResponseWriter, r) }

type timed struct{ *base }

func (t timed) ReadFrom(r io.Reader) (int64, error) {
	return t.base.ReadFrom(io.LimitReader(r, 1<<20)) // want `io.LimitReader around the reader of ReadFrom`
}

type timedToo struct{ *dep.Response }

func (t timedToo) ReadFrom(r io.Reader) (int64, error) {
	return t.Response.ReadFrom(io.LimitReader(r, 1<<20)) // want `io.LimitReader around the reader of ReadFrom`
}

// In a function that it hands to another one.
type shaped struct {
	conn net.Conn
}

func (s *shaped) throttle(send func(n int64) (int64, error)) (int64, error) { return send(1 << 16) }

func (s *shaped) ReadFrom(r io.Reader) (total int64, err error) {
	for {
		n, err := s.throttle(func(n int64) (int64, error) {
			return io.CopyN(s.conn, r, n) // want `io.CopyN around the reader of ReadFrom nests two limits`
		})
		total += n
		if err != nil {
			return total, err
		}
	}
}

// A framework's interface of a response.
type frameworkWriter interface {
	http.ResponseWriter
	Status() int
}

type framework struct{ inner frameworkWriter }

func (f *framework) ReadFrom(r io.Reader) (int64, error) {
	return io.CopyN(f.inner, r, 1<<20) // want `io.CopyN around the reader of ReadFrom nests two limits`
}

// From here on nothing is to be reported.

// It slices the limit that it gets.
type careful struct{ http.ResponseWriter }

func (w careful) ReadFrom(r io.Reader) (total int64, err error) {
	rf := w.ResponseWriter.(io.ReaderFrom)
	lr, ok := r.(*io.LimitedReader)
	if !ok {
		lr = &io.LimitedReader{R: r, N: 1<<63 - 1}
	}
	for lr.N > 0 {
		sub := &io.LimitedReader{R: lr.R, N: min(1<<20, lr.N)}
		want := sub.N
		n, err := rf.ReadFrom(sub)
		total += n
		lr.N -= n
		if err != nil || n < want {
			return total, err
		}
	}
	return total, nil
}

// A switch, and a limit only where there is none.
type switched struct{ http.ResponseWriter }

func (w switched) ReadFrom(r io.Reader) (int64, error) {
	rf := w.ResponseWriter.(io.ReaderFrom)
	switch r := r.(type) {
	case *io.LimitedReader:
		return rf.ReadFrom(r)
	default:
		return rf.ReadFrom(io.LimitReader(r, 1<<20))
	}
}

// It forwards.
type forwards struct{ net.Conn }

func (f forwards) ReadFrom(r io.Reader) (int64, error) { return io.Copy(f.Conn, r) }

// It compresses: there is no path to lose.
type compressed struct {
	http.ResponseWriter
	gz *gzip.Writer
}

func (c *compressed) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(c.gz, io.LimitReader(r, 1<<20))
}

// It hides the response.
type plain struct{ http.ResponseWriter }

func (p plain) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{p.ResponseWriter}, io.LimitReader(r, 1<<20))
}

// No response and no connection.
type buffer struct{ w *bufio.Writer }

func (b *buffer) ReadFrom(r io.Reader) (int64, error) { return io.CopyN(b.w, r, 10) }

// Any writer may be inside.
type anyWriter struct{ w io.Writer }

func (a *anyWriter) ReadFrom(r io.Reader) (int64, error) { return io.CopyN(a.w, r, 10) }

// Not the method of io.ReaderFrom.
type store struct{ net.Conn }

func (s store) ReadFrom(r io.Reader, n int64) (int64, error) { return io.CopyN(s.Conn, r, n) }

// Sniffs, and hands on the rest unlimited.
type sniffs struct{ http.ResponseWriter }

func (s sniffs) ReadFrom(r io.Reader) (int64, error) {
	head, err := io.ReadAll(io.LimitReader(r, 512))
	if err != nil {
		return 0, err
	}
	n, err := s.Write(head)
	if err != nil {
		return int64(n), err
	}
	m, err := io.Copy(s.ResponseWriter, r)
	return int64(n) + m, err
}

// A helper asks, and limits what is not limited.
type asks struct{ http.ResponseWriter }

func (a asks) ReadFrom(r io.Reader) (int64, error) { return a.send(r) }

func (a asks) send(r io.Reader) (int64, error) {
	if _, limited := r.(*io.LimitedReader); !limited {
		r = &io.LimitedReader{R: r, N: 1 << 30}
	}
	return io.Copy(a.ResponseWriter, r)
}

// So does one whose variable a closure shares.
func (a asks) sendLater(r io.Reader) func() {
	return func() {
		if _, limited := r.(*io.LimitedReader); !limited {
			r = io.LimitReader(r, 1<<30)
		}
		io.Copy(a.ResponseWriter, r)
	}
}

func (a asks) sends(f *os.File) { a.sendLater(io.LimitReader(f, 10))() }
