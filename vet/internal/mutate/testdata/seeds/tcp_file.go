// case: tcp <- file
package seed

import (
	"io"
	"net"
	"os"
)

func send(c *net.TCPConn, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(c, f)
	return err
}
