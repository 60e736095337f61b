package copy

import (
	"fmt"
	"io"
	"net"
	"os"

	"github.com/thresh-dev/thresh/lab"
)

// forward is the article's advice: wrappers that forward WriterTo and ReaderFrom. Here both ends are
// wrapped, both count, and both counts must be right.
func forward() variant {
	return variant{id: "forward", what: "counting wrappers that forward WriterTo and ReaderFrom",
		path: bySendfile, published: lab.Published{Text: "keeps sendfile"}, serve: sending(sendForwarded)}
}

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// WriteTo passes the wrapped reader to io.Copy, which sees its type.
func (c *countingReader) WriteTo(w io.Writer) (int64, error) {
	n, err := io.Copy(w, c.r)
	c.n += n
	return n, err
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// ReadFrom passes the wrapped writer to io.Copy, which sees its type.
func (c *countingWriter) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(c.w, r)
	c.n += n
	return n, err
}

func sendForwarded(c *net.TCPConn, f *os.File) error {
	from, to := &countingReader{r: f}, &countingWriter{w: c}
	n, err := io.Copy(to, from)
	if err == nil && (from.n != n || to.n != n) {
		err = fmt.Errorf("send %s: %d bytes copied, reader counted %d, writer %d", f.Name(), n, from.n, to.n)
	}
	return err
}
