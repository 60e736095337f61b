package relay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/net/proxyproto"
)

const named = "PROXY TCP4 192.0.2.1 198.51.100.2 5000 80\r\n"

// named2 is the same in version 2, with a type-length-value behind the addresses.
const named2 = "\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x10\xc0\x00\x02\x01\xc6\x33\x64\x02\x13\x88\x00\x50\x04\x00\x01x"

const local2 = "\r\n\r\n\x00\r\nQUIT\n\x20\x00\x00\x00"

// received is what came to the target of one connection.
type received struct {
	header proxyproto.Header
	err    error
	body   []byte
}

// collector is a target that reads a header, if it is to come, and then all bytes, and sends them back.
func collector(t *testing.T, network string, header bool) (net.Addr, chan received) {
	all := make(chan received, 10)
	return target(t, network, func(c half) {
		var r received
		var rest []byte
		if header {
			r.header, rest, r.err = proxyproto.Read(c, make([]byte, proxyproto.HeaderBytesMax))
		}
		more, err := io.ReadAll(struct{ io.Reader }{c})
		if r.err == nil {
			r.err = err
		}
		r.body = append(rest, more...)
		_, _ = io.Copy(struct{ io.Writer }{c}, struct{ io.Reader }{bytes.NewReader(r.body)})
		c.CloseWrite()
		all <- r
	}), all
}

func described(h proxyproto.Header) string {
	return fmt.Sprintf("%v %v %v", h.Local, h.Source, h.Destination)
}

// The target gets the header that belongs there and then all bytes, which are spliced as ever.
func TestProxyHeaders(t *testing.T) {
	const own, nobody = "its own", "false <nil> <nil>"
	for _, c := range []struct {
		sent    string // by the client
		send    int
		network string
		want    string // the ends in the header that the target gets; empty: none
	}{
		{"", 1, "tcp", own},
		{"", 2, "tcp", own},
		{"", 2, "unix", own},
		{named, 0, "tcp", ""},
		{named2, 0, "unix", ""},
		{named, 1, "tcp", "false 192.0.2.1:5000 198.51.100.2:80"},
		{named, 2, "tcp", "false 192.0.2.1:5000 198.51.100.2:80"},
		{named2, 1, "tcp", "false 192.0.2.1:5000 198.51.100.2:80"},
		{named2, 2, "unix", "false 192.0.2.1:5000 198.51.100.2:80"},
		{local2, 1, "tcp", nobody},
		{local2, 2, "tcp", "true <nil> <nil>"},
		{"PROXY UNKNOWN\r\n", 1, "tcp", nobody},
		{"PROXY UNKNOWN\r\n", 2, "tcp", "true <nil> <nil>"},
		{local2, 0, "tcp", ""},
	} {
		t.Run(fmt.Sprintf("%.16q to %d, %s", c.sent, c.send, c.network), func(t *testing.T) {
			at, all := collector(t, c.network, c.send > 0)
			o := Options{SendProxy: c.send}
			if c.sent != "" {
				o.ProxyProtocol, o.TrustedProxies = true, []string{"loopback"}
			}
			r := start(t, at, o)
			conn := dial(t, r.addr)
			body := make([]byte, 8<<20)
			for i := range body {
				body[i] = byte(rand.Uint32())
			}
			go func() {
				if _, err := conn.Write(append([]byte(c.sent), body...)); err != nil {
					t.Error(err)
				}
				conn.CloseWrite()
			}()
			back, err := io.ReadAll(struct{ io.Reader }{conn})
			got := <-all
			if err != nil || got.err != nil || !bytes.Equal(got.body, body) || !bytes.Equal(back, body) {
				t.Fatalf("the target has %d bytes, %v; %d came back, %v", len(got.body), got.err, len(back), err)
			}
			want := c.want
			if want == own {
				want = fmt.Sprintf("false %v %v", conn.LocalAddr(), r.addr)
			}
			if c.send > 0 && described(got.header) != want {
				t.Errorf("the target was told %s, want %s", described(got.header), want)
			}
			eventually(t, "the connection is counted", func() bool { return r.Stats().Open == 0 })
			s := r.Stats()
			if s.Bytes != int64(2*len(body)) {
				t.Errorf("%d bytes are counted, without headers %d", s.Bytes, 2*len(body))
			}
			// Each direction copies until it is busy, and then what comes in small steps.
			if copied := s.Bytes - s.Spliced; runtime.GOOS == "linux" && copied > s.Bytes/4 {
				t.Errorf("%d of %d bytes were copied", copied, s.Bytes)
			}
		})
	}
}

// A connection without a valid header from a trusted proxy is reset and reported, and the target never
// hears of it.
func TestBadProxyHeaders(t *testing.T) {
	for _, c := range []struct{ name, sent, trusted, want string }{
		{"not a header", "GET / HTTP/1.1\r\n\r\n", "loopback", `no PROXY header: it begins with "GET / HTTP`},
		{"malformed", "PROXY TCP4 1.2.3.4\r\n", "loopback", "malformed PROXY header"},
		{"incomplete", "PROXY TCP4", "loopback", "unexpected EOF"},
		{"not trusted", named, "private", "not from a trusted proxy"},
		{"silent", "", "loopback", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := target(t, "tcp", func(half) { t.Error("the target was called") })
			r := start(t, at, Options{ProxyProtocol: true, TrustedProxies: []string{c.trusted}})
			if c.trusted == "loopback" {
				conn := dial(t, r.addr)
				_, _ = io.WriteString(conn, c.sent) // it may have been reset already
				_ = conn.CloseWrite()               // likewise
				if n, err := conn.Read(make([]byte, 1)); n != 0 || !isReset(err) {
					t.Errorf("%d bytes, %v: not reset", n, err)
				}
			} else {
				turnedAway(t, r.addr)
			}
			eventually(t, "it is counted", func() bool { return r.metrics.closed[endHeader].Get() == 1 })
			errs := r.reported()
			if c.want == "" && len(errs) > 0 || c.want != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), c.want)) {
				t.Errorf("reported: %v", errs)
			}
		})
	}
}

// The time for the header is not one for what follows.
func TestSilenceAfterHeader(t *testing.T) {
	at, all := collector(t, "tcp", false)
	const timeout = 100 * time.Millisecond
	r := start(t, at, Options{ProxyProtocol: true, TrustedProxies: []string{"loopback"}},
		func(r *Relay) { r.proxying.timeout = timeout })
	conn := dial(t, r.addr)
	for _, text := range []string{named, "late"} {
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * timeout)
	}
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got := <-all; string(got.body) != "late" || got.err != nil {
		t.Errorf("%q, %v", got.body, got.err)
	}
}

// Shutdown does not wait for a header.
func TestStopBeforeHeader(t *testing.T) {
	at := target(t, "tcp", func(half) { t.Error("the target was called") })
	r := start(t, at, Options{ProxyProtocol: true, TrustedProxies: []string{"loopback"}})
	conn := dial(t, r.addr)
	if _, err := io.WriteString(conn, "PROXY"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is open", func() bool { return r.Stats().Open == 1 })
	if err := r.Shutdown(stopped()); err == nil {
		t.Error("nothing was cut")
	}
	if n, how := r.metrics.closed[endStop].Get(), r.reported(); n != 1 || len(how) != 0 {
		t.Errorf("%d were stopped; reported: %v", n, how)
	}
}

func TestProxyOptions(t *testing.T) {
	for _, c := range []struct {
		o     Options
		field string
	}{
		{Options{SendProxy: 3}, "SendProxy"},
		{Options{SendProxy: -1}, "SendProxy"},
		{Options{ProxyProtocol: true}, "ProxyProtocol"},
		{Options{ProxyProtocol: true, TrustedProxies: []string{"10.0.0.0/8", "x"}}, "TrustedProxies"},
		{Options{TrustedProxies: []string{"loopback"}}, "TrustedProxies"},
	} {
		_, err := New("127.0.0.1:1", c.o)
		if wrong, ok := err.(*failure.OptionError); !ok || wrong.Field != c.field {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
}

// stopped returns a context that has ended.
func stopped() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
