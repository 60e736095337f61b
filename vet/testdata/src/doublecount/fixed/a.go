package fixed

import "io"

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

func (c *counter) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(struct{ io.Writer }{c}, r)
	c.n += n // want `counts again`
	return n, err
}

func (c *counter) WriteString(s string) (int, error) {
	n, err := c.Write([]byte(s))
	c.n += int64(n) // want `counts again`
	return len(s), err
}
