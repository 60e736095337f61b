package reader

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
)

// Looks at the bytes.
type hashing struct {
	r   io.Reader
	sum hash.Hash
}

func (h *hashing) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	h.sum.Write(p[:n])
	return n, err
}

// Changes them.
type upper struct{ r io.Reader }

func (u upper) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	copy(p[:n], bytes.ToUpper(p[:n]))
	return n, err
}

// Has WriteTo.
type writesTo struct {
	r io.Reader
	n int64
}

func (w *writesTo) Read(p []byte) (int, error) { return w.r.Read(p) }

func (w *writesTo) WriteTo(dst io.Writer) (int64, error) {
	n, err := io.Copy(dst, w.r)
	w.n += n
	return n, err
}

// Its WriteTo, and more, is that of the file.
type embeds struct{ *os.File }

func (e embeds) Close() error { return nil }

type quiet struct{ r io.Reader }

func (q *quiet) Read(p []byte) (int, error) { return q.r.Read(p) }

//thresh:ignore hiddenfile the files are small
type ignored struct{ r io.Reader }

func (i ignored) Read(p []byte) (int, error) { return i.r.Read(p) }

type unused struct{ r io.Reader }

func (u unused) Read(p []byte) (int, error) { return u.r.Read(p) }

func quietly(c *net.TCPConn, w http.ResponseWriter, r *http.Request, f *os.File, unknown io.Reader) {
	io.Copy(c, &hashing{f, sha256.New()})
	io.Copy(c, upper{f})
	io.Copy(c, &writesTo{r: f})
	io.Copy(c, embeds{f})
	io.Copy(c, ignored{f})

	// No file and no connection is read.
	io.Copy(c, &quiet{strings.NewReader("text")})
	io.Copy(c, &quiet{r.Body})
	io.Copy(c, &quiet{unknown})
	io.Copy(c, &quiet{os.Stdin})

	// Nothing takes files.
	var buf bytes.Buffer
	io.Copy(&buf, &quiet{f})
	io.Copy(io.Discard, &quiet{f})
	io.Copy(sha256.New(), &quiet{f})
	io.Copy(os.Stdout, &quiet{f})
}

// To what is no TCP connection nothing splices from a Unix connection.
type unquiet struct{ r io.Reader }

func (u *unquiet) Read(p []byte) (int, error) { return u.r.Read(p) }

func fromUnixOnly(dst, src *net.UnixConn, w http.ResponseWriter, r *http.Request) {
	io.Copy(dst, &unquiet{src})
	io.Copy(w, &unquiet{src})
}

// Limits in limits are another rule's.
func limits(c *net.TCPConn, f *os.File) {
	io.CopyN(c, io.LimitReader(f, 10), 5)
	io.Copy(c, io.LimitReader(io.LimitReader(f, 10), 5))
	c.ReadFrom(&io.LimitedReader{R: &io.LimitedReader{R: f, N: 10}, N: 5})
}

// Connections are another rule's.
type conn struct{ net.Conn }

func (c *conn) Read(p []byte) (int, error) { return c.Conn.Read(p) }
