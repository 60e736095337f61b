// case: tcp <- file
package seed

import (
	"io"
	"net"
	"os"
)

func push(address, name string) (err error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer c.Close()
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(c, f)
	return err
}
