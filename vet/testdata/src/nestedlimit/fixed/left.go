package fixed

import (
	"io"
	"net"
	"os"
)

func counted(c *net.TCPConn, f *os.File, n int64) (int64, error) {
	return io.CopyN(c, io.LimitReader(f, n), 1<<10) // want `nests two limits`
}
