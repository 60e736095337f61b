package main

import (
	"io"
	"net"
	"os"
)

func bufferFlagged(c *net.TCPConn, f *os.File) error {
	buf := make([]byte, 1<<20)
	_, err := io.CopyBuffer(c, f, buf) // want ignoredbuffer
	return err
}

func bufferFixed(c *net.TCPConn, f *os.File) error {
	_, err := io.Copy(c, f)
	return err
}
