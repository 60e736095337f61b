//go:build plan9

package a

import (
	"io"
	"net"
	"os"
)

func tagged(c *net.TCPConn, f *os.File) {
	io.CopyN(c, io.LimitReader(f, 100), 10)
}
