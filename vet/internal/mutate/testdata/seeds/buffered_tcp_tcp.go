// case: bufio.Writer(tcp) <- tcp
package seed

import (
	"bufio"
	"io"
	"net"
)

func passBuffered(dst, src *net.TCPConn) error {
	w := bufio.NewWriter(dst)
	if _, err := io.Copy(w, src); err != nil {
		return err
	}
	return w.Flush()
}
