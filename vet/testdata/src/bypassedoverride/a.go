// Package bypassedoverride overrides Read and Write of embedded files and connections.
package bypassedoverride

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

type countedConn struct { // want `Write of countedConn is bypassed: io.Copy to it calls the ReadFrom of the embedded \*net.TCPConn: hold the connection in a field that is not embedded, or embed net.Conn`
	*net.TCPConn
	written int64
}

func (c *countedConn) Write(p []byte) (int, error) {
	n, err := c.TCPConn.Write(p)
	c.written += int64(n)
	return n, err
}

type decryptedConn struct{ *net.TCPConn } // want `Read of decryptedConn is bypassed: io.Copy from it calls the WriteTo of the embedded \*net.TCPConn`

func (c decryptedConn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	for i := range p[:n] {
		p[i] ^= 0x55
	}
	return n, err
}

type encryptedConn struct { // want `Read and Write of encryptedConn are bypassed`
	*net.TCPConn
}

func (c *encryptedConn) Read(p []byte) (int, error)  { return 0, errors.New("not yet") }
func (c *encryptedConn) Write(p []byte) (int, error) { return 0, errors.New("not yet") }

type limitedFile struct { // want `Write of limitedFile is bypassed: io.Copy to it calls the ReadFrom of the embedded \*os.File: add a ReadFrom that goes through Write`
	*os.File
	left int
}

func (l *limitedFile) Write(p []byte) (int, error) {
	if len(p) > l.left {
		return 0, errors.New("full")
	}
	l.left -= len(p)
	return l.File.Write(p)
}

type countedFile struct { // want `Read of countedFile is bypassed: io.Copy from it calls the WriteTo of the embedded \*os.File: hold the file in a field`
	*os.File
	read int64
}

func (c *countedFile) Read(p []byte) (n int, err error) {
	n, err = c.File.Read(p)
	c.read += int64(n)
	return
}

// A *net.UnixConn has no io.ReaderFrom, but a file's WriteTo asks it for SyscallConn.
type unixConn struct{ *net.UnixConn } // want `Write of unixConn is bypassed: io.Copy of a file to it sends to the embedded connection, which SyscallConn gives`

func (c unixConn) Write(p []byte) (int, error) { return c.UnixConn.Write(p[:min(len(p), 512)]) }

// Its own ReadFrom does not help: the WriteTo of a file comes first.
type ownReadFrom struct{ *net.TCPConn } // want `Write of ownReadFrom is bypassed: io.Copy of a file to it sends`

func (c ownReadFrom) Write(p []byte) (int, error) { return c.TCPConn.Write(p[1:]) }
func (c ownReadFrom) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{c}, r)
}

type ownWriteTo struct{ *os.File } // want `Read of ownWriteTo is bypassed: io.Copy from it to a connection sends the embedded file`

func (f ownWriteTo) Read(p []byte) (int, error)         { return f.File.Read(p[:1]) }
func (f ownWriteTo) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, struct{ io.Reader }{f}) }

// Through another struct, of this package and of a pointer.
type base struct{ *net.TCPConn }

type derived struct { // want `Write of derived is bypassed`
	base
	n int
}

func (d *derived) Write(p []byte) (int, error) { d.n++; return d.base.Write(p) }

type again struct { // want `Read of again is bypassed`
	*derived
}

func (a again) Read(p []byte) (int, error) { return a.derived.Read(p[1:]) }

// An alias of the embedded type.
type tcp = net.TCPConn

type aliased struct{ *tcp } // want `Write of aliased is bypassed`

func (a aliased) Write(p []byte) (int, error) { return len(p), nil }

// A generic type.
type tagged[T any] struct { // want `Write of tagged is bypassed`
	*net.TCPConn
	tag T
}

func (t *tagged[T]) Write(p []byte) (int, error) { return t.TCPConn.Write(p[1:]) }

// The file itself, and not a pointer.
type inlineFile struct{ os.File } // want `Write of inlineFile is bypassed`

func (f *inlineFile) Write(p []byte) (int, error) { return 0, errors.New("read only") }

// A defined type of a struct that embeds one promotes the same.
type redefined base // want `Read of redefined is bypassed`

func (r redefined) Read(p []byte) (int, error) { return 0, io.EOF }

//thresh:ignore bypassedoverride only ever read by a scanner
type silenced struct{ *os.File }

func (s silenced) Read(p []byte) (int, error) { return s.File.Read(p[:1]) }

var _ syscall.Conn = silenced{}
