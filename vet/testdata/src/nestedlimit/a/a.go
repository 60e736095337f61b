// Package a has nested limits.
package a

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"

	"nestedlimit/dep"
)

// A limit in a limit, in one expression.
func twice(c *net.TCPConn, f *os.File) {
	lr := io.LimitReader(io.LimitReader(f, 1<<20), 1<<10) // want `^io.LimitReader around .*: use the smaller of both`
	io.Copy(c, lr)
}

// CopyN makes the second one.
func copyN(c *net.TCPConn, f *os.File, n int64) (int64, error) {
	return io.CopyN(c, io.LimitReader(f, 1<<20), n) // want `^io.CopyN around an .* and sendfile is lost: use`
}

// In a handler, through a variable.
func handler(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("data")
	if err != nil {
		return
	}
	defer f.Close()
	head := io.LimitReader(f, 1<<20)
	w.Header().Set("Content-Length", "1024")
	io.CopyN(w, head, 1<<10) // want `io.CopyN around an io.LimitedReader nests two limits`
}

// A literal around a literal, pointers and an alias.
type limited = io.LimitedReader

func literals(c net.Conn, f *os.File) {
	inner := &limited{R: f, N: 100}
	outer := &limited{R: inner, N: 50} // want `an io.LimitedReader around an io.LimitedReader nests two limits`
	io.Copy(c, outer)
}

// A function of this package that limits.
func head(r io.Reader) io.Reader { return io.LimitReader(r, 1<<20) }

func helper(c *net.TCPConn, f *os.File) {
	io.Copy(c, io.LimitReader(head(f), 10)) // want `io.LimitReader around an io.LimitedReader nests two limits`
}

// Through a parameter.
func helped(c *net.TCPConn, r io.Reader) {
	io.CopyN(c, r, 10) // want `io.CopyN around an io.LimitedReader nests two limits`
}

func helps(c *net.TCPConn, f *os.File) { helped(c, io.LimitReader(f, 20)) }

// Through a field.
type job struct {
	body io.Reader
}

func (j *job) run(c *net.TCPConn) error {
	_, err := io.CopyN(c, j.body, 512) // want `io.CopyN around an io.LimitedReader nests two limits`
	return err
}

func newJob(f *os.File) *job { return &job{body: &io.LimitedReader{R: f, N: 1 << 30}} }

// From another package.
func other(c *net.TCPConn, f *os.File) {
	io.Copy(c, io.LimitReader(dep.Head(f, 100), 10)) // want `io.LimitReader around an io.LimitedReader nests two limits`
}

// A connection limited for a connection loses splice.
func relay(c, d *net.TCPConn) {
	go func() {
		limit := io.LimitReader(d, 100)
		io.CopyN(c, limit, 10) // want `io.CopyN around an io.LimitedReader nests two limits, and splice is lost`
	}()
}

// The same from file to file loses copy_file_range.
func files(src *os.File) error {
	dst, err := os.Create("copy")
	if err != nil {
		return err
	}
	_, err = io.CopyN(dst, io.LimitReader(src, 100), 10) // want `^io.CopyN around .* and copy_file_range is lost:`
	return err
}

// ReadFrom called by hand.
func byHand(c *net.TCPConn, f *os.File) {
	c.ReadFrom(io.LimitReader(head(f), 10)) // want `io.LimitReader around an io.LimitedReader nests two limits`
}

// Type parameters.
func generic[R io.Reader](c *net.TCPConn, r R) {
	io.CopyN(c, io.LimitReader(r, 100), 10) // the type of r is not known here
}

// From here on nothing is to be reported.

func one(c *net.TCPConn, f *os.File) {
	io.Copy(c, io.LimitReader(f, 10))
	io.CopyN(c, f, 10)
	io.CopyN(c, dep.Reader(f), 10)
}

func memory(c *net.TCPConn, b []byte) {
	io.CopyN(c, io.LimitReader(bytes.NewReader(b), 100), 10) // nothing to lose: it is in memory
}

func toMemory(b *bytes.Buffer, f *os.File) {
	io.CopyN(b, io.LimitReader(f, 100), 10)
}

func body(w http.ResponseWriter, r *http.Request) {
	io.CopyN(w, io.LimitReader(r.Body, 100), 10) // a request's body has no path to lose
}

func reads(f *os.File) ([]byte, error) {
	return io.ReadAll(io.LimitReader(io.LimitReader(f, 100), 10))
}

func unwrapped(c *net.TCPConn, lr *io.LimitedReader) {
	sub := &io.LimitedReader{R: lr.R, N: min(10, lr.N)}
	io.Copy(c, sub)
}

func anyReader(c *net.TCPConn, r io.Reader) { io.CopyN(c, io.LimitReader(r, 100), 10) }

func appended(src *os.File) {
	log, _ := os.OpenFile("log", os.O_APPEND|os.O_WRONLY, 0o600)
	io.CopyN(log, io.LimitReader(src, 100), 10) // O_APPEND has no path to lose
}

func ignored(c *net.TCPConn, f *os.File) {
	//thresh:ignore nestedlimit a test of this comment
	io.CopyN(c, io.LimitReader(f, 100), 10)
}

func hidden(c *net.TCPConn, f *os.File) {
	io.CopyN(struct{ io.Writer }{c}, io.LimitReader(f, 100), 10) // hidden on purpose
}

// A helper of several callers: no limited file gets to the connection.
func move(dst io.Writer, src io.Reader) { io.CopyN(dst, src, 10) }

func moves(c *net.TCPConn, b *bytes.Buffer, f *os.File) {
	move(c, b)
	move(b, io.LimitReader(f, 100))
}
