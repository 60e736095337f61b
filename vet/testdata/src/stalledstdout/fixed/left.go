package fixed

import (
	"io"
	"net"
	"os"
)

// left has shapes without a fix: which writer to hide is for a human to say.
func left(conn *net.TCPConn) {
	out := os.Stdout
	io.Copy(out, conn)       // want `os.Stdout spins`
	os.Stdout.ReadFrom(conn) // want `os.Stdout spins`
	close(os.Stdout, conn)   // want `os.Stdout spins`
}

func close(dst io.WriteCloser, src io.Reader) {
	io.Copy(dst, src)
	dst.Close()
}
