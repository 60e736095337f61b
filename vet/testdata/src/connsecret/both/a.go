// Package both speaks SSH and HTTP.
package both

import (
	"net"
	"net/http"

	"golang.org/x/crypto/ssh"
)

type conn struct{ net.Conn } // want `^conn hides ReadFrom`

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &conn{c}, err
}

func handshake(c net.Conn) { ssh.NewServerConn(c) }

func serve(l net.Listener) error { return http.Serve(listener{l}, nil) }
