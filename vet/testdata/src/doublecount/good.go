package doublecount

import (
	"io"
	"net"
	"net/http"
)

// Each way counts once.
type once struct {
	http.ResponseWriter
	n int64
}

func (o *once) Write(p []byte) (int, error) {
	n, err := o.ResponseWriter.Write(p)
	o.n += int64(n)
	return n, err
}

func (o *once) ReadFrom(r io.Reader) (int64, error) {
	if rf, ok := o.ResponseWriter.(io.ReaderFrom); ok {
		n, err := rf.ReadFrom(r)
		o.n += n
		return n, err
	}
	return io.Copy(struct{ io.Writer }{o}, r)
}

// The inner writer does not count.
type inner struct {
	w io.Writer
	n int64
}

func (i *inner) Write(p []byte) (int, error) { return i.w.Write(p) }
func (i *inner) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(struct{ io.Writer }{i}, r)
	i.n += n
	return n, err
}

// Goes round the counting Write.
func (c *goesRound) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(c.w, r)
	c.n += n
	return n, err
}

type goesRound struct {
	w io.Writer
	n int64
}

func (c *goesRound) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// Two counters.
type two struct {
	w             io.Writer
	calls, copied int64
}

func (t *two) Write(p []byte) (int, error) {
	n, err := t.w.Write(p)
	t.calls += int64(n)
	return n, err
}

func (t *two) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(struct{ io.Writer }{t}, r)
	t.copied += n
	return n, err
}

// Two objects.
type pair struct{ left, right counter }

func (p *pair) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(struct{ io.Writer }{&p.left}, r)
	p.right.n += n
	return n, err
}

// Write counts calls.
type calls struct {
	w io.Writer
	n int64
}

func (c *calls) Write(p []byte) (int, error) {
	c.n += 1
	return c.w.Write(p)
}

func (c *calls) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(struct{ io.Writer }{c}, r)
	c.n += n
	return n, err
}

// Write counts only if it is told to.
type switched struct {
	w       io.Writer
	copying bool
	n       int64
}

func (s *switched) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if !s.copying {
		s.n += int64(n)
	}
	return n, err
}

func (s *switched) ReadFrom(r io.Reader) (int64, error) {
	s.copying = true
	n, err := io.Copy(struct{ io.Writer }{s}, r)
	s.copying = false
	s.n += n
	return n, err
}

type returnsEarly struct{ switched }

func (s *returnsEarly) Write(p []byte) (int, error) {
	if s.copying {
		return s.w.Write(p)
	}
	n, err := s.w.Write(p)
	s.n += int64(n)
	return n, err
}

func (s *returnsEarly) ReadFrom(r io.Reader) (int64, error) {
	s.copying = true
	n, err := io.Copy(struct{ io.Writer }{s}, r)
	s.n += n
	return n, err
}

// Corrected.
type corrected struct{ counter }

func (c *corrected) ReadFrom(r io.Reader) (int64, error) {
	before := c.n
	n, err := io.Copy(struct{ io.Writer }{&c.counter}, r)
	c.n = before
	c.n += n
	return n, err
}

type subtracted struct{ atomicCounter }

func (s *subtracted) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(struct{ io.Writer }{&s.atomicCounter}, r)
	s.n.Add(-n)
	s.n.Add(n)
	return n, err
}

// Another number.
type rest struct{ counter }

func (t *rest) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(struct{ io.Writer }{&t.counter}, r)
	if err != nil {
		return n, err
	}
	n, err = t.w.(io.ReaderFrom).ReadFrom(r)
	t.n += n
	return n, err
}

// The copy calls ReadFrom of what is inside, not its Write.
type nested struct{ c counter }

func (n *nested) ReadFrom(r io.Reader) (int64, error) {
	m, err := io.Copy(&n.c, r)
	n.c.n += m
	return m, err
}

// Only now and then.
type sometimes struct {
	counter
	twice bool
}

func (s *sometimes) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(struct{ io.Writer }{&s.counter}, r)
	if s.twice {
		s.n += n
	}
	return n, err
}

// A connection that somebody else counts.
type conn struct {
	net.Conn
	n int64
}

func (c *conn) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(struct{ io.Writer }{c.Conn}, r)
	c.n += n
	return n, err
}
