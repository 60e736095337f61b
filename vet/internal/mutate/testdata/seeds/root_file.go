// case: tcp <- file of os.Root
package seed

import (
	"io"
	"net"
	"os"
)

func sendFrom(root *os.Root, c *net.TCPConn, name string) error {
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(c, f)
	return err
}
