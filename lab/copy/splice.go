package copy

import (
	"errors"
	"io"
	"net"
	"sync"
)

// splice is the article's relay: two times io.Copy between two TCP connections, which is
// splice through a pipe that each copy keeps to its end, also while nothing comes. The
// article drops the direction that lasts longer; here each passes on its end and both are
// waited for.
func splice() Variant {
	return Variant{ID: "splice", What: "relay by io.Copy in both directions", Path: BySplice,
		Published: Published{CallsPerGiB: 10_686 / .5},
		serve: relaying(func(dst, src *net.TCPConn) error {
			_, err := io.Copy(dst, src)
			return err
		})}
}

// relaying is a server that connects each of its clients to the upstream. Pass carries one
// direction to its end.
func relaying(pass func(dst, src *net.TCPConn) error) server {
	return func(l net.Listener, upstream string, complain func(error)) error {
		return connections(l, complain, func(client *net.TCPConn) error {
			c, err := net.Dial("tcp", upstream)
			if err != nil {
				return err
			}
			up := c.(*net.TCPConn)
			var asked, answered error
			var wg sync.WaitGroup
			wg.Go(func() { asked = errors.Join(pass(up, client), up.CloseWrite()) })
			wg.Go(func() { answered = errors.Join(pass(client, up), client.CloseWrite()) })
			wg.Wait()
			return errors.Join(asked, answered, up.Close())
		})
	}
}
