// Package lib wraps connections for others.
package lib

import "net"

type conn struct{ net.Conn }

// Wrap returns a wrapper of a connection.
func Wrap(c net.Conn) net.Conn { return &conn{c} }
