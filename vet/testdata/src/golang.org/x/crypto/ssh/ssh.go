// Package ssh stands for the real one: it encrypts what is sent.
package ssh

import "net"

// NewServerConn does nothing.
func NewServerConn(net.Conn) {}
