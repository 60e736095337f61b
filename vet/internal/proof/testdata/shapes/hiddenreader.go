package main

import (
	"io"
	"net"
	"os"
)

// progressReader counts what has been read.
type progressReader struct { // want hiddenfile
	r io.Reader
}

func (p *progressReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	counted.Add(int64(n))
	return n, err
}

func readerFlagged(c *net.TCPConn, f *os.File) error {
	_, err := io.Copy(c, &progressReader{f})
	return err
}

type progressFixed struct {
	r io.Reader
}

func (p *progressFixed) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	counted.Add(int64(n))
	return n, err
}

func (p *progressFixed) WriteTo(w io.Writer) (int64, error) {
	n, err := io.Copy(w, p.r)
	counted.Add(n)
	return n, err
}

func readerFixed(c *net.TCPConn, f *os.File) error {
	_, err := io.Copy(c, &progressFixed{f})
	return err
}
