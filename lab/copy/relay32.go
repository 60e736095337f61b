package copy

import (
	"io"
	"net"
)

// relay32 is a relay without splice, which the article does not time: the copy loop with 32 KiB to
// which io.Copy falls back if either connection is wrapped.
func relay32() Variant {
	return Variant{ID: "relay32", What: "relay by a loop of 32 KiB, both connections wrapped", Path: ByCopy,
		serve: relaying(func(dst, src *net.TCPConn) error {
			_, err := io.Copy(struct{ io.Writer }{dst}, justReader{src})
			return err
		})}
}
