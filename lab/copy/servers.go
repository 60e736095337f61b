package copy

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
)

// connections calls handle concurrently for each connection of l, and then closes the connection.
func connections(l net.Listener, logError func(error), handle func(c *net.TCPConn) error) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return fmt.Errorf("accept: %w", err)
		}
		go func() {
			if err := errors.Join(handle(c.(*net.TCPConn)), c.Close()); err != nil {
				logError(err)
			}
		}()
	}
}

// sending returns a server that opens the file for each connection and sends it.
func sending(send func(c *net.TCPConn, f *os.File) error) server {
	return func(l net.Listener, path string, logError func(error)) error {
		return connections(l, logError, func(c *net.TCPConn) error {
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			return errors.Join(send(c, f), f.Close())
		})
	}
}

// answering returns a net/http server with a handler for the file.
func answering(handler func(path string, logError func(error)) http.Handler) server {
	return func(l net.Listener, path string, logError func(error)) error {
		return http.Serve(l, handler(path, logError))
	}
}

// opening returns a net/http server that opens the file for each request.
func opening(answer func(w http.ResponseWriter, r *http.Request, f *os.File) error) server {
	return answering(func(path string, logError func(error)) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			f, err := os.Open(path)
			if err != nil {
				logError(err)
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			if err := errors.Join(answer(w, r, f), f.Close()); err != nil {
				logError(err)
			}
		})
	})
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
