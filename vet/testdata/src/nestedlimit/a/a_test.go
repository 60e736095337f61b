package a

import (
	"io"
	"net"
	"os"
)

func tested(c *net.TCPConn, f *os.File) {
	io.CopyN(c, io.LimitReader(f, 100), 10)
}
