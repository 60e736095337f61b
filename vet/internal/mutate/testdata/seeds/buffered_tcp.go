// case: bufio.Writer(tcp) <- file
package seed

import (
	"bufio"
	"io"
	"net"
	"os"
)

func sendBuffered(c *net.TCPConn, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(c)
	if _, err := io.Copy(w, f); err != nil {
		return err
	}
	return w.Flush()
}
