// case: tcp <- unix
package seed

import (
	"io"
	"net"
)

func fromLocal(dst *net.TCPConn, src *net.UnixConn) (int64, error) { return io.Copy(dst, src) }
