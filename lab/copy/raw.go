package copy

import (
	"io"
	"net"
	"os"

	"github.com/thresh-dev/thresh/lab"
)

// raw passes the file and the connection to io.Copy without wrappers. It is the article's first
// server, and the one that all others are compared with. The file's WriteTo finds the socket and
// calls sendfile until the file ends. In the article's Go 1.22, the connection's ReadFrom made the
// same calls.
func raw() variant {
	return variant{id: "raw", what: "io.Copy(conn, file)", path: bySendfile,
		published: lab.Published{Value: 54, Text: "2,958 sendfile for five transfers"}, serve: sending(sendRaw)}
}

func sendRaw(c *net.TCPConn, f *os.File) error {
	_, err := io.Copy(c, f)
	return err
}
