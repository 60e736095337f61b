// Package tlslib wraps connections for others.
package tlslib

import "net"

type plain struct{ net.Conn }

type tlsConn struct{ net.Conn }

// Plain returns a wrapper.
func Plain(c net.Conn) net.Conn { return &plain{c} }

// Secret returns a wrapper whose name says what it holds.
func Secret(c net.Conn) net.Conn { return &tlsConn{c} }
