// case: tcp <- bufio.Reader(file)
package seed

import (
	"bufio"
	"net"
	"os"
)

func sendPeeked(c *net.TCPConn, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	if _, err := r.Peek(4); err != nil {
		return err
	}
	_, err = r.WriteTo(c)
	return err
}
