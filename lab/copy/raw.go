package copy

import (
	"io"
	"net"
	"os"
)

// raw passes the file and the connection to io.Copy without wrappers. It is the article's first
// server, and the one that all others are compared with. The file's WriteTo finds the socket and
// calls sendfile until the file ends. In the article's Go 1.22, the connection's ReadFrom made the
// same calls.
func raw() Variant {
	return Variant{ID: "raw", What: "io.Copy(conn, file)", Path: BySendfile,
		Published: Published{CPUMillisPerGiB: 54, CallsPerGiB: 2_972 / 2.5}, serve: sending(sendRaw)}
}

func sendRaw(c *net.TCPConn, f *os.File) error {
	_, err := io.Copy(c, f)
	return err
}
