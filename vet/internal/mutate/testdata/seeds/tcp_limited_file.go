// case: tcp <- limit(file)
package seed

import (
	"io"
	"net"
	"os"
)

func sendSome(c *net.TCPConn, name string, n int64) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(c, io.LimitReader(f, n))
	return err
}
