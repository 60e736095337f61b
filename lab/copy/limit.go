package copy

import (
	"io"
	"net"
	"os"
)

// limit is the article's third server: io.LimitReader, the only wrapper that the connection unwraps,
// and only one layer of it.
func limit() Variant {
	return Variant{ID: "limit", What: "io.Copy(conn, io.LimitReader(file, size))", Path: BySendfile,
		Published: Published{CPUMillisPerGiB: 60, CallsPerGiB: 2_909 / 2.5}, serve: sending(sendLimited)}
}

func sendLimited(c *net.TCPConn, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = io.Copy(c, io.LimitReader(f, info.Size()))
	return err
}
