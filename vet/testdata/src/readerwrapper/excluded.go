//go:build never

package readerwrapper

import (
	"io"
	"net"
	"os"
)

type excluded struct{ r io.Reader }

func (e excluded) Read(p []byte) (int, error) { return e.r.Read(p) }

func exclude(c *net.TCPConn, f *os.File) { io.Copy(c, excluded{f}) }
