package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// After github.com/google/martian/v3@v3.3.3/trafficshape/conn.go: a connection takes what it may send from a
// bucket, and copies so much at a time. net/http hands it a limited reader.

// bucket says how much may be sent now.
type bucket struct{ capacity int64 }

func (b *bucket) fill(send func(remaining int64) (int64, error)) (int64, error) {
	return send(b.capacity)
}

type shapedConn struct {
	net.Conn
	bucket *bucket
}

func (c *shapedConn) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, c.Conn) }

func (c *shapedConn) ReadFrom(r io.Reader) (int64, error) {
	var total int64
	for {
		n, err := c.bucket.fill(func(remaining int64) (int64, error) {
			return io.CopyN(c.Conn, r, remaining) // want nestedlimit
		})
		total += n
		if errors.Is(err, io.EOF) {
			return total, nil
		} else if err != nil {
			return total, err
		}
	}
}

type shapedListener struct {
	net.Listener
	latency time.Duration
}

func (l shapedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	time.Sleep(l.latency)
	return &shapedConn{c, &bucket{1 << 20}}, nil
}

func throttleFlagged(l net.Listener, name string) error {
	return http.Serve(shapedListener{l, time.Microsecond}, fileHandler(name))
}

type shapedConnFixed struct {
	net.Conn
	bucket *bucket
}

func (c *shapedConnFixed) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, c.Conn) }

func (c *shapedConnFixed) ReadFrom(r io.Reader) (int64, error) {
	limited, ok := r.(*io.LimitedReader)
	if !ok {
		limited = &io.LimitedReader{R: r, N: 1<<63 - 1}
	}
	var total int64
	for limited.N > 0 {
		n, err := c.bucket.fill(func(remaining int64) (int64, error) {
			return io.CopyN(c.Conn, limited.R, min(remaining, limited.N))
		})
		total += n
		limited.N -= n
		if errors.Is(err, io.EOF) {
			return total, nil
		} else if err != nil {
			return total, err
		}
	}
	return total, nil
}

type shapedListenerFixed struct{ net.Listener }

func (l shapedListenerFixed) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &shapedConnFixed{c, &bucket{1 << 20}}, nil
}

func throttleFixed(l net.Listener, name string) error {
	return http.Serve(shapedListenerFixed{l}, fileHandler(name))
}
