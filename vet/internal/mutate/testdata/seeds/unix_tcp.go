// case: unix <- tcp
package seed

import (
	"io"
	"net"
)

func toLocal(dst *net.UnixConn, src *net.TCPConn) (int64, error) { return io.Copy(dst, src) }
