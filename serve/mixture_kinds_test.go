package serve

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/bcrypt"
)

// Every response to these is followed by others on the same connection.
var lasting = []step{
	{"GET /small.txt?N HTTP/1.1\r\n" + host, 200},
	{"GET /small.txt?N HTTP/1.1\r\n" + host + "Range: bytes=1-3\r\n", 206},
	{"GET /big.bin?N HTTP/1.1\r\n" + host + "Range: bytes=1-70000\r\n", 206},
	{"GET /big.bin?N HTTP/1.1\r\n" + host + "Range: bytes=1-3,70000-70009\r\n", 206},
	{"GET /small.txt?N HTTP/1.1\r\n" + host + "If-None-Match: {etag}\r\n", 304},
	{"HEAD /small.txt?N HTTP/1.1\r\n" + host, 200},
	{"HEAD /none?N HTTP/1.1\r\n" + host, 404},
	{"GET /none?N HTTP/1.1\r\n" + host, 404},
	{"GET /none?N HTTP/1.1\r\n" + host + "Accept: text/html\r\n", 404},
	{"GET /small.txt?N HTTP/1.1\r\n" + host + "If-Match: \"x\"\r\n", 412},
	{"GET /small.txt?N HTTP/1.1\r\n" + host + "Range: bytes=100-\r\n", 416},
	{"GET /?N HTTP/1.1\r\n" + host, 200},
	{"HEAD /?N HTTP/1.1\r\n" + host, 200},
	{"GET /small.txt?N HTTP/1.0\r\nConnection: keep-alive\r\n", 200},
	{"GET /small.txt?N HTTP/1.1\r\nHost: evil.example\r\n", 421},
	{"HEAD /none?N HTTP/1.1\r\nHost: evil.example:80\r\n", 421},
}

// These are no plain GET or HEAD, and keep the connection as well.
var lastingOthers = []step{
	{"POST /small.txt?N HTTP/1.1\r\n" + host + "Content-Length: 0\r\n", 405},
	{"OPTIONS /small.txt?N HTTP/1.1\r\n" + host, 204},
	{"GET /small.txt?N HTTP/1.1\r\n" + host + "Content-Length: 0\r\n", 200},
	{"GET http://evil.example/small.txt?N HTTP/1.1\r\n" + host, 421},
}

// The connection ends after these.
var final = []step{
	{"GET /small.txt?N HTTP/1.1\r\n" + host + "Connection: close\r\n", 200},
	{"GET /small.txt?N HTTP/1.0\r\n", 200},
	{"GET /?N HTTP/1.0\r\n", 200},
	{"GET /small.txt?N HTTP/1.1\r\n", 400},
	{"GET /small.txt?N HTTP/1.1\r\nHost: a\r\nHost: b\r\n", 400},
	{"GET /small.txt?N HTTP/1.1\r\n" + host + "A : b\r\n", 400},
	{"GET /small.txt?N HTTP/1.1\r\n" + host + "A: \x01\r\n", 400},
	{"GET /small.txt?N HTTP/1.1\r\n" + host + "Content-Length: 0\r\nContent-Length: 1\r\n", 400},
	{"GET /%zz?N HTTP/1.1\r\n" + host, 400},
	{"GET /small.txt?N\r\n" + host, 400},
	{"GET  /small.txt?N HTTP/1.1\r\n" + host, 400},
	{"GET /small.txt?N HTTP/1.1\r\n" + host + "Expect: more\r\n", 417},
	{"GET /small.txt?N HTTP/1.1\r\n" + host + "Transfer-Encoding: x\r\n", 501},
	{"GET /small.txt?N HTTP/2.0\r\n" + host, 505},
	{"POST /small.txt?N HTTP/9.9\r\n" + host, 505},
}

var bomb = step{"GET /small.txt?N HTTP/1.1\r\n" + host + "A: " + strings.Repeat("b", 80<<10) + "\r\n", 431}

// sendAll sends requests of these kinds, some forty a round.
func (m *mixture) sendAll(rounds int) {
	var all sync.WaitGroup
	slots := make(chan struct{}, 32)
	run := func(f func()) {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			f()
		})
	}
	for round := range rounds {
		pipelined := round%2 == 0
		run(func() { m.converse(pipelined, append(shuffled(lasting), final[round%3])...) })
		run(func() { m.converse(pipelined, append(shuffled(lasting), lastingOthers...)...) })
		run(func() { m.converse(pipelined, append(shuffled(lasting)[:3], final[round%len(final)])...) })
		run(func() { m.converse(pipelined, append(lastingOthers, final[round%len(final)])...) })
		for _, s := range final {
			run(func() { m.converse(pipelined, s) })
		}
		run(m.abort)
		if round%8 == 0 {
			run(func() { m.converse(false, bomb) })
		}
	}
	all.Wait()
}

func shuffled(s []step) []step {
	s = slices.Clone(s)
	rand.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	return s
}

// sendPasswords sends requests with and without passwords. The server's users are alice, whose
// password is right.
func (m *mixture) sendPasswords() {
	get := "GET /small.txt?N HTTP/1.1\r\n" + host
	auth := func(password string) string {
		return get + "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("alice:"+password)) + "\r\n"
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			m.converse(i%2 == 0, step{get, 401}, step{auth("right"), 200}, step{auth(fmt.Sprint("wrong", i%5)), 401},
				step{auth("right") + withLength, 200}, step{auth("wrong") + withLength, 401})
		})
	}
	all.Wait()
}

// sendPlainToTLS speaks HTTP without TLS to a server with TLS.
func (m *mixture) sendPlainToTLS() {
	for range 5 {
		conn, err := net.Dial("tcp", m.addr)
		if err != nil {
			m.t.Fatal(err)
		}
		send(m.t, conn, "GET / HTTP/1.1\r\n"+host+"\r\n")
		text, err := io.ReadAll(conn)
		conn.Close()
		_, body, ok := strings.Cut(string(text), "\r\n\r\n")
		if err != nil || !ok {
			m.t.Errorf("received %q, %v", text, err)
		}
		m.noteUnnamed("HTTP/1.1", http.StatusBadRequest, int64(len(body)))
	}
	m.counts("thresh_serve_tls_handshake_errors_total", 5)
}

// sendPreface sends the preface of HTTP/2, which HTTP/1 reads as a request, and expects a single response.
func (m *mixture) sendPreface() {
	for range 5 {
		conn, err := m.dial()
		if err != nil {
			m.t.Fatal(err)
		}
		send(m.t, conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
		from := bufio.NewReader(conn)
		resp, body := receive(m.t, from, "PRI")
		rest, _ := io.ReadAll(from) // it may be reset, with the rest of the preface unread
		conn.Close()
		if resp.StatusCode != http.StatusMethodNotAllowed || len(rest) > 0 {
			m.t.Errorf("%s, and then %q", resp.Status, rest)
		}
		m.noteUnnamed("HTTP/2.0", resp.StatusCode, int64(len(body)))
	}
}

// TestMixture: log, metrics and clients agree about each of some ten thousand responses.
func TestMixture(t *testing.T) {
	m := newMixture(start(t, nil), nil)
	m.learn()
	m.sendAll(160)
	m.sendPreface()
	total := m.compare()

	r, plain := startRedirect(t, nil)
	m = newMixture(r, func() (net.Conn, error) {
		return tls.Dial("tcp", r.addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
	})
	m.learn()
	m.sendAll(24)
	m.sendPreface()
	m.sendH2()
	for range 5 {
		m.sendH2Errors()
	}
	m.sendPlainToTLS()
	m.sendRedirects(plain)
	total += m.compare()

	hash := hashOf(t, "right", bcrypt.MinCost)
	m = newMixture(start(t, func(o *Options) { o.Users = map[string]string{"alice": hash} }), nil)
	m.sendPasswords()
	m.converse(true, step{"GET /small.txt?N HTTP/1.1\r\nHost: evil.example\r\n", 421}) // is not asked for a password
	total += m.compare()
	m.counts("thresh_serve_passwords_denied_total", 40)

	total += mixtureOfProxies(t)
	if total < 10_000 {
		t.Errorf("only %d responses", total)
	}
	t.Log(total, "responses")
}
