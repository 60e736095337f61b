package main

import (
	"io"
	"net"
	"os"
)

type forwarding struct {
	w io.Writer
}

func (f *forwarding) Write(p []byte) (int, error) { return f.w.Write(p) }

func (f *forwarding) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(f, r) // want recursiveforward
}

func recursiveFlagged(c *net.TCPConn, f *os.File) error {
	_, err := io.Copy(&forwarding{c}, f)
	return err
}

type forwardingFixed struct {
	w io.Writer
}

func (f *forwardingFixed) Write(p []byte) (int, error) { return f.w.Write(p) }

func (f *forwardingFixed) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(f.w, r)
}

func recursiveFixed(c *net.TCPConn, f *os.File) error {
	_, err := io.Copy(&forwardingFixed{c}, f)
	return err
}
