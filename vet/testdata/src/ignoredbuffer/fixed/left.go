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
