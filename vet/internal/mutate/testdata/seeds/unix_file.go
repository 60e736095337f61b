// case: unix <- file
package seed

import (
	"io"
	"net"
	"os"
)

func sendLocal(c *net.UnixConn, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(c, f)
	return err
}
