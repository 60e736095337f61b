// Package readerlib has readers that others use.
package readerlib

import "io"

// Counter counts.
type Counter struct {
	R io.Reader
	N int64
}

// Read counts.
func (c *Counter) Read(p []byte) (int, error) {
	n, err := c.R.Read(p)
	c.N += int64(n)
	return n, err
}

// Count returns a Counter.
func Count(r io.Reader) io.Reader { return &Counter{R: r} }
