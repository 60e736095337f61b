//go:build plan9

package a

import (
	"io"
	"net"
	"os"
)

func elsewhere(conn *net.TCPConn) { io.Copy(os.Stdout, conn) }
