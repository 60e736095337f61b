package fixed

import (
	"io"
	"net"
	"os"
)

func dial() error {
	conn, err := net.Dial("tcp", "localhost:80")
	if err != nil {
		return err
	}
	go func() { copyAll(conn, os.Stdin) }()
	go copyAll(os.Stderr, conn)       // want `os.Stderr spins`
	_, err = io.Copy(os.Stdout, conn) // want `os.Stdout spins`
	return err
}

func copyAll(dst io.Writer, src io.Reader) { io.Copy(dst, src) }
