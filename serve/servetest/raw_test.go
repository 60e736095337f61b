//go:build linux

package servetest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// reply is a server's response. Status 0 means that the server closed the connection without a
// response, or with one that is not HTTP.
type reply struct {
	status int
	header http.Header
	body   []byte
	close  bool // the connection does not persist
	rest   []byte
}

// exchange sends raw bytes unchanged and reads one response.
func exchange(addr, raw string) (r reply, err error) {
	c, err := dial(addr)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		return r, err
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		// A server may respond and close before it has read everything: not an error of the
		// exchange.
		_, _ = io.WriteString(c, raw)
	}()
	method, _, _ := strings.Cut(raw, " ")
	r, err = receive(bufio.NewReader(c), method)
	if err != nil {
		return r, fmt.Errorf("%.60q: %w", raw, err)
	}
	if err := c.SetWriteDeadline(time.Now()); err != nil {
		return r, err
	}
	<-sent
	return r, nil
}

// dial connects to a TCP address or, if addr is a path, to a unix socket.
func dial(addr string) (net.Conn, error) {
	if strings.HasPrefix(addr, "/") {
		return net.Dial("unix", addr)
	}
	return net.Dial("tcp", addr)
}

// receive reads a response. An end or a reset before its first byte is a reply of status 0; one
// inside it is an error.
func receive(from *bufio.Reader, method string) (reply, error) {
	first, err := from.Peek(5)
	if string(first) != "HTTP/" {
		if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
			return reply{}, err
		}
		rest, _ := io.ReadAll(io.LimitReader(from, 64<<10)) // however it ends
		return reply{rest: rest}, nil
	}
	answer, err := http.ReadResponse(from, &http.Request{Method: method})
	if err != nil {
		return reply{}, err
	}
	r := reply{status: answer.StatusCode, header: answer.Header, close: answer.Close}
	if r.body, err = io.ReadAll(answer.Body); err != nil {
		return r, fmt.Errorf("status %d, body of %d bytes: %w", r.status, len(r.body), err)
	}
	return r, answer.Body.Close()
}

// converse sends raw bytes and reads all responses until the server closes the connection or falls
// silent. methods are those of the requests, repeated as needed.
func converse(addr, raw string, methods ...string) (all []reply, err error) {
	if len(methods) == 0 {
		methods = []string{"GET"}
	}
	c, err := dial(addr)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, _ = io.WriteString(c, raw) // the server may have closed already
		if half, ok := c.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite() // likewise
		}
	}()
	defer func() { <-sent }()
	for from := bufio.NewReader(c); ; {
		r, err := receive(from, methods[len(all)%len(methods)])
		if err != nil {
			return all, err
		}
		if r.status == 0 {
			return all, nil
		}
		all = append(all, r)
	}
}
