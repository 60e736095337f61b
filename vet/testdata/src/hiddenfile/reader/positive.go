// Package reader copies files and connections.
package reader

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"readerlib"
)

type counter struct { // want `^counter hides the file or connection that it reads from, .*: add WriteTo to it, which leaves the copy to r$`
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func upload(c *net.TCPConn, name string) (int64, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r := &counter{r: f}
	_, err = io.Copy(c, r)
	return r.n, err
}

// What shows progress wants to see each call.
type progress struct { // want `^progress hides .* or use zerocopy.NewReader with a hook$`
	io.ReadCloser
	report func(int)
}

func (p *progress) Read(b []byte) (n int, err error) {
	n, err = p.ReadCloser.Read(b)
	p.report(n)
	return
}

func download(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("/srv/file")
	if err != nil {
		return
	}
	w.Header().Set("Content-Length", "1")
	io.Copy(w, &progress{f, func(int) {}})
}

type cancels struct { // want `^cancels hides .* or use zerocopy.NewReader`
	ctx context.Context
	r   io.Reader
}

func (c cancels) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

func relay(ctx context.Context, from, to *net.TCPConn) {
	io.Copy(to, cancels{ctx, from})
}

type slow struct { // want `^slow hides .* or use zerocopy.NewReader`
	f *os.File
}

func (s slow) Read(p []byte) (int, error) {
	time.Sleep(time.Millisecond)
	return s.f.Read(p)
}

func throttle(c net.Conn, f *os.File) { io.CopyBuffer(c, slow{f}, nil) }

// ServeContent and CopyN never ask for WriteTo.
type seeker struct {
	io.ReadSeeker
	n int64
}

func (s *seeker) Read(p []byte) (int, error) {
	n, err := s.ReadSeeker.Read(p)
	s.n += int64(n)
	return n, err
}

func content(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("/srv/file")
	if err != nil {
		return
	}
	http.ServeContent(w, r, "", time.Time{}, &seeker{ReadSeeker: f}) // want `^reader.seeker hides .*: copy from that itself, and count`
}

func part(c *net.TCPConn, f *os.File) {
	io.CopyN(c, &counter{r: f}, 1<<20)                // want `^reader.counter hides .*: copy from that itself`
	io.Copy(c, io.LimitReader(&counter{r: f}, 1<<20)) // want `^reader.counter hides .*: copy from that itself`
	c.ReadFrom(&counter{r: f})                        // want `^reader.counter hides .*: copy from that itself`
}

type typed[R io.Reader] struct { // want `^typed hides .* add WriteTo to it, which leaves the copy to r$`
	r R
	n int
}

func (t *typed[R]) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.n += n
	return n, err
}

func generic(c *net.TCPConn, f *os.File) { io.Copy(c, &typed[*os.File]{r: f}) }

// A Unix connection is spliced to a TCP connection.
type local struct{ r io.Reader } // want `^local hides .* add WriteTo to it`

func (l *local) Read(p []byte) (int, error) { return l.r.Read(p) }

func fromUnix(c *net.TCPConn, u *net.UnixConn) { io.Copy(c, &local{u}) }

func foreign(c *net.TCPConn, f *os.File) {
	io.Copy(c, readerlib.Count(f))       // want `^readerlib.Counter hides .* or use zerocopy.NewReader`
	io.Copy(c, &readerlib.Counter{R: f}) // want `^readerlib.Counter hides`
}

type alias = aliased

type aliased struct{ r io.Reader } // want `^aliased hides .* add WriteTo`

func (a aliased) Read(p []byte) (int, error) { return a.r.Read(p) }

func byAlias(c *net.TCPConn, f *os.File) {
	var r io.Reader = alias{f}
	io.Copy(c, r)
}

type made struct{ r io.Reader } // want `^made hides .* add WriteTo`

func (m *made) Read(p []byte) (int, error) { return m.r.Read(p) }

func newMade(r io.Reader) io.Reader { return &made{r} }

func byFunction(c *net.TCPConn, f *os.File) { io.Copy(c, newMade(f)) }
