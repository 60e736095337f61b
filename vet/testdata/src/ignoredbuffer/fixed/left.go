package fixed

import (
	"io"
	"net"
	"os"
)

func size() int { return 1 << 20 }

// left has shapes without a fix.
func left(dst *net.TCPConn, src *os.File) {
	buf := make([]byte, size())  // what size does is for a human to say
	io.CopyBuffer(dst, src, buf) // want `does not use this buffer`
	two := make([]byte, 10)
	io.CopyBuffer(dst, src, two) // want `does not use this buffer`
	io.CopyBuffer(dst, src, two) // want `does not use this buffer`
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
