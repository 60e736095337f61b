package copy

import (
	"io"
	"net"
)

// relay32 is a relay without splice, which the article does not time: the copy loop with 32 KiB to
// which io.Copy falls back if either connection is wrapped.
func relay32() variant {
	return variant{id: "relay32", what: "relay by a loop of 32 KiB, both connections wrapped", path: byCopy,
		serve: relaying(func(dst, src *net.TCPConn) error {
			_, err := io.Copy(struct{ io.Writer }{dst}, justReader{src})
			return err
		})}
}
