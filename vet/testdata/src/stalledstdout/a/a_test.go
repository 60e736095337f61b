package a

import (
	"io"
	"net"
	"os"
)

func inTest(conn *net.TCPConn) { io.Copy(os.Stdout, conn) }
