package copy

import (
	"io"
	"net"
	"os"

	"github.com/thresh-dev/thresh/lab"
)

// limit is the article's third server: io.LimitReader, the only wrapper that the connection unwraps,
// and only one layer of it.
func limit() variant {
	return variant{id: "limit", what: "io.Copy(conn, io.LimitReader(file, size))", path: bySendfile,
		published: lab.Published{Value: 60, Text: "2,896 sendfile for five transfers"}, serve: sending(sendLimited)}
}

func sendLimited(c *net.TCPConn, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = io.Copy(c, io.LimitReader(f, info.Size()))
	return err
}
