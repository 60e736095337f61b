package copy

import (
	"io"
	"net"
	"os"
)

// raw hands io.Copy the file and the connection as they are: the article's first server,
// and what all others are compared with. The file's WriteTo finds the socket and calls
// sendfile until the file ends; the article's Go 1.22 went by the connection's ReadFrom,
// to the same calls.
func raw() Variant {
	return Variant{ID: "raw", What: "io.Copy(conn, file)", Path: BySendfile,
		Published: Published{CPUMillisPerGiB: 54, CallsPerGiB: 2_972 / 2.5}, serve: sending(sendRaw)}
}

func sendRaw(c *net.TCPConn, f *os.File) error {
	_, err := io.Copy(c, f)
	return err
}
