package serve

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"github.com/thresh-dev/thresh/failure"
)

const (
	header1 = "PROXY TCP4 192.0.2.1 198.51.100.2 5000 80\r\n"
	header2 = "\r\n\r\n\x00\r\nQUIT\n\x21\x21\x00\x28 \x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01" +
		"0123456789abcdef\x13\x88\x00\x50\x04\x00\x01x"
	unix2      = "\r\n\r\n\x00\r\nQUIT\n\x21\x31\x00\xd8/run/\x1b[31m\n"
	local2     = "\r\n\r\n\x00\r\nQUIT\n\x20\x00\x00\x00"
	getSmall   = "GET /small.txt HTTP/1.1\r\n" + host
	withLength = "Content-Length: 0\r\n" // of an empty body
)

const sendfileExpected = runtime.GOOS == "linux"

func trustLoopback(o *Options) { o.TrustedProxies = []string{"loopback"} }

// converseOn sends a request and returns the status of the response.
func converseOn(t *testing.T, c net.Conn, b *bufio.Reader, head string) *http.Response {
	t.Helper()
	send(t, c, head+"\r\n")
	resp, _ := receive(t, b, "GET")
	return resp
}

// TestForwardedFor: behind a trusted proxy each request has its own client, with and without a body.
func TestForwardedFor(t *testing.T) {
	r := start(t, trustLoopback)
	c := r.dial(0)
	b := bufio.NewReader(c)
	var want []string
	for _, more := range []string{"", withLength, ""} {
		for header, client := range map[string]string{
			"": "127.0.0.1", "X-Forwarded-For: 192.0.2.1\r\n": "192.0.2.1",
			"x-forwarded-for: 198.51.100.1, 2001:db8::1\r\nX-FORWARDED-FOR: 127.0.0.9\r\n": "2001:db8::1",
			"X-Forwarded-For: 192.0.2.1, unknown\r\n":                                      "127.0.0.1",
			"Forwarded: for=192.0.2.1\r\nX-Real-IP: 192.0.2.1\r\n":                         "127.0.0.1",
		} {
			converseOn(t, c, b, getSmall+header+more)
			want = append(want, client)
		}
	}
	for i, line := range r.logged(len(want)) {
		if line.client != want[i] {
			t.Errorf("request %d: logged %s, want %s", i, line.client, want[i])
		}
	}
}

// TestForwardedForOverTLS: HTTP/1.1 and HTTP/2.
func TestForwardedForOverTLS(t *testing.T) {
	r := startTLSWith(t, trustLoopback)
	for _, h2 := range []bool{false, true} {
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: h2}
		client := &http.Client{Transport: transport, Timeout: patience}
		request, err := http.NewRequest("GET", "https://"+r.addr+"/small.txt", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Forwarded-For", "192.0.2.7:99")
		resp, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		transport.CloseIdleConnections()
		if want := 1 + map[bool]int{true: 1}[h2]; resp.ProtoMajor != want {
			t.Errorf("HTTP/%d", resp.ProtoMajor)
		}
	}
	for _, line := range r.logged(2) {
		if line.client != "192.0.2.7" {
			t.Errorf("logged %s", line.client)
		}
	}
}

// TestForwardedForOfOthers: from anyone else the header means nothing.
func TestForwardedForOfOthers(t *testing.T) {
	for _, trusted := range [][]string{nil, {"private", "unix"}} {
		r := start(t, func(o *Options) { o.TrustedProxies, o.LimitRequestsPerIP = trusted, 1.0/3600 })
		c := r.dial(0)
		b := bufio.NewReader(c)
		for i, want := range []int{200, 429, 429} {
			if resp := converseOn(t, c, b, fmt.Sprintf("%sX-Forwarded-For: 192.0.2.%d\r\n", getSmall, i)); resp.StatusCode != want {
				t.Errorf("%v: request %d: %s, want %d", trusted, i, resp.Status, want)
			}
		}
		for _, line := range r.logged(3) {
			if line.client != "127.0.0.1" {
				t.Errorf("%v: logged %s", trusted, line.client)
			}
		}
	}
}

// TestPasswordsBehindProxy: the wrong passwords of one client do not hold up another one.
func TestPasswordsBehindProxy(t *testing.T) {
	hash := hashOf(t, "right", bcrypt.MinCost)
	r := start(t, func(o *Options) {
		trustLoopback(o)
		o.Users = map[string]string{"alice": hash}
	})
	c := r.dial(0)
	b := bufio.NewReader(c)
	from := func(n int, password string) int {
		request, err := http.NewRequest("GET", "http://x/small.txt", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.SetBasicAuth("alice", password)
		return converseOn(t, c, b, fmt.Sprintf("%sX-Forwarded-For: 192.0.2.%d\r\nAuthorization: %s\r\n", getSmall, n, request.Header.Get("Authorization"))).StatusCode
	}
	for i := range failuresFree + 1 {
		if status := from(1, fmt.Sprint("wrong", i)); status != 401 {
			t.Errorf("wrong password %d: %d", i, status)
		}
	}
	if status := from(1, "other"); status != 429 {
		t.Errorf("after too many: %d", status)
	}
	if status := from(2, "right"); status != 200 {
		t.Errorf("another client: %d", status)
	}
	for i := range 2 * failuresFree { // these have no address of their own
		if status := from(999, fmt.Sprint("bad", i)); status != 401 {
			t.Errorf("without an address, wrong password %d: %d", i, status)
		}
	}
}

// TestUnixProxy: a proxy on the same machine that connects to a unix socket.
func TestUnixProxy(t *testing.T) {
	for _, trusted := range [][]string{{"unix"}, {"loopback"}} {
		r := start(t, func(o *Options) { o.TrustedProxies = trusted })
		path := filepath.Join(t.TempDir(), "s")
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan error, 1)
		go func() { served <- r.Serve(l) }()
		c, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		converseOn(t, c, bufio.NewReader(c), getSmall+"X-Forwarded-For: 192.0.2.1\r\n")
		c.Close()
		if client := r.logged(1)[0].client; (client == "192.0.2.1") != (trusted[0] == "unix") {
			t.Errorf("%v: logged %s", trusted, client)
		}
		if err := r.stop(patience); err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}
}

func TestProxyOptions(t *testing.T) {
	for _, c := range []struct {
		o     Options
		field string
		value any
	}{
		{Options{TrustedProxies: []string{"loopback", "10.0.0.1/8"}}, "TrustedProxies", "10.0.0.1/8"},
		{Options{ProxyProtocol: true}, "ProxyProtocol", true},
	} {
		_, err := New(os.DevNull, c.o)
		wrong, ok := errors.AsType[*failure.OptionError](err)
		if !ok || wrong.Field != c.field || wrong.Value != c.value {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
}
