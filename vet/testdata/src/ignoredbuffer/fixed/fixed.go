package fixed

import (
	"io"
	"net"
	"os"
)

func send(dst *net.TCPConn, src *os.File) (int64, error) {
	return io.CopyBuffer(dst, src, make([]byte, 1<<20)) // want `does not use this buffer`
}

func named(dst *net.TCPConn, src *os.File) (int64, error) {
	buf := make([]byte, 1<<20)
	return io.CopyBuffer(dst, src, buf) // want `does not use this buffer`
}

func later(dst *net.TCPConn, src *os.File) {
	buf := make([]byte, 1<<20) // as large as possible
	if _, err := src.Seek(0, 0); err != nil {
		return
	}
	io.CopyBuffer(dst, src, buf) // want `does not use this buffer`
}
