package copy

import (
	"io"
	"net"
	"os"

	"github.com/thresh-dev/thresh/lab"
)

// wrapped is the article's second server: it wraps the file in a reader that only forwards reads. The
// wrapper hides the file, and io.Copy copies it in pieces of 32 KiB.
func wrapped() variant {
	return variant{id: "wrapped", what: "io.Copy(conn, reader around the file)", path: byCopy,
		published: lab.Published{Value: 184, Text: "131,093 read, write for five transfers"}, serve: sending(sendWrapped)}
}

// justReader hides all methods except Read.
//
//thresh:ignore readerwrapper the article's wrapper, whose cost is measured
type justReader struct{ r io.Reader }

func (j justReader) Read(p []byte) (int, error) { return j.r.Read(p) }

func sendWrapped(c *net.TCPConn, f *os.File) error {
	_, err := io.Copy(c, justReader{f})
	return err
}
