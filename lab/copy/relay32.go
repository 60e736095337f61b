package copy

import (
	"io"
	"net"
)

// relay32 is the relay without splice, which the article does not time: the loop of 32 KiB
// that io.Copy falls back to when either connection is wrapped.
func relay32() Variant {
	return Variant{ID: "relay32", What: "relay by a loop of 32 KiB, both connections wrapped", Path: ByCopy,
		serve: relaying(func(dst, src *net.TCPConn) error {
			_, err := io.Copy(struct{ io.Writer }{dst}, justReader{src})
			return err
		})}
}
