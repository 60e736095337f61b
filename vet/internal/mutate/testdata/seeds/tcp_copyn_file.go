// case: tcp <- limit(file)
package seed

import (
	"io"
	"net"
	"os"
)

type part struct {
	name     string
	off, len int64
}

func (p part) send(c *net.TCPConn) error {
	f, err := os.Open(p.name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Seek(p.off, io.SeekStart); err != nil {
		return err
	}
	_, err = io.CopyN(c, f, p.len)
	return err
}
