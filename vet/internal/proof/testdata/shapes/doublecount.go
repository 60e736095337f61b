package main

import (
	"io"
	"net"
	"os"
)

// sentWriter counts what it sends, twice if it comes by ReadFrom.
type sentWriter struct {
	w io.Writer
	n int64
}

func (s *sentWriter) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.n += int64(n)
	return n, err
}

func (s *sentWriter) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(struct{ io.Writer }{s}, r)
	s.n += n // want doublecount
	return n, err
}

func doubleFlagged(c *net.TCPConn, f *os.File) error {
	s := &sentWriter{w: c}
	_, err := io.Copy(s, f)
	counted.Add(s.n)
	return err
}

type sentFixed struct {
	w io.Writer
	n int64
}

func (s *sentFixed) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.n += int64(n)
	return n, err
}

func (s *sentFixed) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(s.w, r)
	s.n += n
	return n, err
}

func doubleFixed(c *net.TCPConn, f *os.File) error {
	s := &sentFixed{w: c}
	_, err := io.Copy(s, f)
	counted.Add(s.n)
	return err
}
