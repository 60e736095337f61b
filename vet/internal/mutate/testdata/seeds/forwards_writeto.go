// case: tcp <- reader that forwards WriteTo
package seed

import (
	"io"
	"net"
	"os"
)

// tracked counts what is read of a file.
type tracked struct {
	r    io.Reader
	read int64
}

func (t *tracked) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.read += int64(n)
	return n, err
}

func (t *tracked) WriteTo(w io.Writer) (int64, error) {
	n, err := io.Copy(w, t.r)
	t.read += n
	return n, err
}

func sendTracked(c *net.TCPConn, name string) (int64, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	t := &tracked{r: f}
	_, err = io.Copy(c, t)
	return t.read, err
}
