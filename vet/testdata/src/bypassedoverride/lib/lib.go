// Package lib has types that other packages embed.
package lib

import (
	"io"
	"net"
	"os"
)

type Conn struct{ *net.TCPConn }

type File struct{ *os.File }

// Own has its own way.
type Own struct{ f *os.File }

func (o Own) Read(p []byte) (int, error)          { return o.f.Read(p) }
func (o Own) Write(p []byte) (int, error)         { return o.f.Write(p) }
func (o Own) WriteTo(w io.Writer) (int64, error)  { return o.f.WriteTo(w) }
func (o Own) ReadFrom(r io.Reader) (int64, error) { return o.f.ReadFrom(r) }
