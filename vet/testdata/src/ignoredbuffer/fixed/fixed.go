package fixed

import (
	"io"
	"net"
	"os"
)

func send(dst *net.TCPConn, src *os.File) (int64, error) {
	return io.CopyBuffer(dst, src, make([]byte, 1<<20)) // want `does not use this buffer`
}
