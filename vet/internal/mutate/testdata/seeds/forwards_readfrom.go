// case: writer that forwards ReadFrom <- file
package seed

import (
	"io"
	"net"
	"os"
)

// metered counts what is sent.
type metered struct {
	w    io.Writer
	sent int64
}

func (m *metered) Write(p []byte) (int, error) {
	n, err := m.w.Write(p)
	m.sent += int64(n)
	return n, err
}

func (m *metered) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(m.w, r)
	m.sent += n
	return n, err
}

func sendMetered(c *net.TCPConn, name string) (int64, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	m := &metered{w: c}
	_, err = io.Copy(m, f)
	return m.sent, err
}
