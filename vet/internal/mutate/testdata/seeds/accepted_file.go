// case: tcp <- file
package seed

import (
	"io"
	"log"
	"net"
	"os"
)

func serve(l net.Listener, name string) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			if err := answer(c, name); err != nil {
				log.Print(err)
			}
		}()
	}
}

func answer(c net.Conn, name string) error {
	defer c.Close()
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(c, f)
	return err
}

func listen() error {
	l, err := net.Listen("tcp", ":7000")
	if err != nil {
		return err
	}
	return serve(l, "data")
}
