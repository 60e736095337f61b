// case: tcp <- tcp
package seed

import (
	"io"
	"log"
	"net"
)

func forward(address, to string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	for {
		client, err := l.Accept()
		if err != nil {
			return err
		}
		go forwardOne(client, to)
	}
}

func forwardOne(client net.Conn, to string) {
	defer client.Close()
	server, err := net.Dial("tcp", to)
	if err != nil {
		log.Print(err)
		return
	}
	defer server.Close()
	go io.Copy(server, client)
	io.Copy(client, server)
}
