// case: tcp <- limit(tcp)
package seed

import (
	"io"
	"net"
)

func passBody(dst, src *net.TCPConn, length int64) error {
	_, err := io.CopyN(dst, src, length)
	return err
}
