package copy

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
)

// connections has handle answer each connection of l, all at once, and closes them behind it.
func connections(l net.Listener, complain func(error), handle func(c *net.TCPConn) error) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return fmt.Errorf("accept: %w", err)
		}
		go func() {
			if err := errors.Join(handle(c.(*net.TCPConn)), c.Close()); err != nil {
				complain(err)
			}
		}()
	}
}

// sending is a server that opens the file for each connection and sends it.
func sending(send func(c *net.TCPConn, f *os.File) error) server {
	return func(l net.Listener, path string, complain func(error)) error {
		return connections(l, complain, func(c *net.TCPConn) error {
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			return errors.Join(send(c, f), f.Close())
		})
	}
}

// answering is net/http's server with a handler for the file.
func answering(handler func(path string, complain func(error)) http.Handler) server {
	return func(l net.Listener, path string, complain func(error)) error {
		return http.Serve(l, handler(path, complain))
	}
}

// opening is a handler that opens the file for each request.
func opening(answer func(w http.ResponseWriter, r *http.Request, f *os.File) error) server {
	return answering(func(path string, complain func(error)) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			f, err := os.Open(path)
			if err != nil {
				complain(err)
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			if err := errors.Join(answer(w, r, f), f.Close()); err != nil {
				complain(err)
			}
		})
	})
}
