// case: tcp <- io.MultiReader(header, file)
package seed

import (
	"io"
	"net"
	"os"
	"strings"
)

func sendWithHeader(c *net.TCPConn, header, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(c, io.MultiReader(strings.NewReader(header), f))
	return err
}
