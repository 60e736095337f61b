package serve

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"testing"
)

// TestAmbiguous: a request of HTTP/1.0 with a Transfer-Encoding is refused, with TLS and without, however its
// bytes arrive, and the connection is closed. The request inside its body is not answered.
func TestAmbiguous(t *testing.T) {
	t.Run("plain", func(t *testing.T) { sendAmbiguous(t, start(t, nil), false) })
	t.Run("TLS", func(t *testing.T) { sendAmbiguous(t, startTLS(t), true) })
}

func sendAmbiguous(t *testing.T, r *running, useTLS bool) {
	// Its length is that of the body which one request declares: the server reads that before it closes.
	const inner = "0\r\n\r\nGET /small.txt HTTP/1.1\r\n" + host + "\r\n"
	const before = "GET /small.txt HTTP/1.1\r\n" + host + "Content-Length: 0\r\n\r\n"
	for _, c := range []struct{ before, request string }{
		{"", "GET /small.txt HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"},
		{"", "GET /small.txt HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: identity\r\n\r\n"},
		{"", "GET /small.txt HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 41\r\nTRANSFER-encoding:chunked\r\n\r\n"},
		{"", "POST /small.txt HTTP/1.0\r\nConnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n"},
		{"", "HEAD /small.txt HTTP/1.0\nConnection: keep-alive\nTransfer-Encoding: chunked\n\n"},
		{"GET /small.txt HTTP/1.1\r\n" + host + "\r\n",
			"GET /small.txt HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"},
		{before, "GET /small.txt HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"},
	} {
		for _, bytewise := range []bool{false, true} {
			what := fmt.Sprintf("%q after %q, byte by byte %v", c.request, c.before, bytewise)
			conn := net.Conn(r.dial(0))
			if useTLS {
				conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
			}
			b := bufio.NewReader(conn)
			if c.before != "" {
				send(t, conn, c.before)
				if resp, _ := receive(t, b, "GET"); resp.StatusCode != 200 {
					t.Fatalf("%s: %s", what, resp.Status)
				}
			}
			request := c.request
			if !bytewise || strings.Contains(request, "Content-Length") {
				request += inner
			}
			for step := len(request); request != ""; request = request[step:] {
				if bytewise {
					step = 1
				}
				send(t, conn, request[:step])
			}
			method, _, _ := strings.Cut(c.request, " ")
			if resp, _ := receive(t, b, method); resp.StatusCode != 400 || !resp.Close {
				t.Errorf("%s: %s, closes: %v", what, resp.Status, resp.Close)
			}
			ended(t, b)
		}
	}
}

// TestNotAmbiguous: a value, or a longer name, is not the field; and other versions have it.
func TestNotAmbiguous(t *testing.T) {
	r := start(t, nil)
	for request, status := range map[string]int{
		"OPTIONS / HTTP/1.0\r\nX: Transfer-Encoding: chunked\r\n\r\n":                     204,
		"OPTIONS / HTTP/1.0\r\nX-Transfer-Encoding: chunked\r\n\r\n":                      204,
		"OPTIONS / HTTP/1.0\r\nTransfer-Encoding2: chunked\r\n\r\n":                       204,
		"OPTIONS / HTTP/1.0\r\nTransfer-Encodin: g\r\n\r\n":                               204,
		"OPTIONS / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n":   204,
		"POST /small.txt HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n0\r\n": 405,
	} {
		c := r.dial(0)
		send(t, c, request)
		if resp, _ := receive(t, bufio.NewReader(c), "OPTIONS"); resp.StatusCode != status {
			t.Errorf("%q: %s, want %d", request, resp.Status, status)
		}
	}
}
