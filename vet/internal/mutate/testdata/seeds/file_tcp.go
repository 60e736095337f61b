// case: file <- tcp
package seed

import (
	"errors"
	"io"
	"net"
	"os"
)

func receive(c *net.TCPConn, name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, c)
	return errors.Join(err, f.Close())
}
