// case: tcp <- tcp
package seed

import (
	"errors"
	"io"
	"net"
)

func pipe(a, b *net.TCPConn) error {
	done := make(chan error, 2)
	go func() { done <- pass(a, b) }()
	go func() { done <- pass(b, a) }()
	return errors.Join(<-done, <-done)
}

func pass(dst, src *net.TCPConn) error {
	if _, err := io.Copy(dst, src); err != nil {
		return err
	}
	return dst.CloseWrite()
}
