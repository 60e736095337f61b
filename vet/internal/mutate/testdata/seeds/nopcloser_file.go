// case: tcp <- io.NopCloser(file)
package seed

import (
	"io"
	"net"
	"os"
)

func sendBody(c *net.TCPConn, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	body := io.NopCloser(f)
	defer body.Close()
	_, err = io.Copy(c, body)
	return err
}
