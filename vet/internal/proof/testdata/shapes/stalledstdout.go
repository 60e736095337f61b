package main

import (
	"io"
	"net"
	"os"
)

func stalledFlagged(dst, src *net.TCPConn) error {
	_, err := io.Copy(os.Stdout, src) // want stalledstdout
	return err
}

func stalledFixed(dst, src *net.TCPConn) error {
	_, err := io.Copy(struct{ io.Writer }{os.Stdout}, src)
	return err
}
