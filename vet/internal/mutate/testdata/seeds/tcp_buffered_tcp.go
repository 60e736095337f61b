// case: tcp <- bufio.Reader(tcp)
package seed

import (
	"bufio"
	"io"
	"net"
)

func passRest(dst, src *net.TCPConn) error {
	r := bufio.NewReader(src)
	line, err := r.ReadString('\n')
	if err != nil {
		return err
	}
	if _, err := io.WriteString(dst, line); err != nil {
		return err
	}
	_, err = io.Copy(dst, r)
	return err
}
