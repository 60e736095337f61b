package copy

import (
	"errors"
	"io"
	"net"
	"sync"

	"github.com/thresh-dev/thresh/lab"
)

// splice is the article's relay: an io.Copy for each direction between two TCP connections. It uses
// splice through a pipe, which each copy keeps until it ends, even while there is no data. The
// article abandons the direction that lasts longer. Here, each direction forwards its end, and the
// relay waits for both.
func splice() variant {
	return variant{id: "splice", what: "relay by io.Copy in both directions", path: bySplice,
		published: lab.Published{Text: "10,677 splice for one transfer, no read or write of data"},
		serve: relaying(func(dst, src *net.TCPConn) error {
			_, err := io.Copy(dst, src)
			return err
		})}
}

// relaying returns a server that connects each client to the upstream. pass copies one direction
// until it ends.
func relaying(pass func(dst, src *net.TCPConn) error) server {
	return func(l net.Listener, upstream string, logError func(error)) error {
		return connections(l, logError, func(client *net.TCPConn) error {
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
