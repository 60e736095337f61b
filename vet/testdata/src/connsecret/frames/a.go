// Package frames speaks SSH only.
package frames

import (
	"net"

	"golang.org/x/crypto/ssh"
)

type conn struct{ net.Conn }

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &conn{c}, err
}

func handshake(c net.Conn) { ssh.NewServerConn(c) }
