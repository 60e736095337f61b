package serve

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// TestConnsPerIPBehindProxyProtocol: the limit is that of the header's address, and the proxy has none.
func TestConnsPerIPBehindProxyProtocol(t *testing.T) {
	r := start(t, func(o *Options) {
		expectProxy(o)
		o.MaxConnsPerIP = 1
	})
	status := func(header string) (int, net.Conn) {
		c := r.dial(0)
		send(t, c, header+getSmall+"\r\n")
		resp, _ := receive(t, bufio.NewReader(c), "GET")
		return resp.StatusCode, c
	}
	for _, c := range []struct {
		header string
		want   int
	}{{header1, 200}, {header1, 503}, {header2, 200}, {header2, 503}, {local2, 200}, {local2, 200}, {unixHeader(), 200}, {unixHeader(), 200}} {
		if got, _ := status(c.header); got != c.want {
			t.Errorf("%.20q: %d, want %d", c.header, got, c.want)
		}
	}
	for _, line := range r.logged(8) {
		if line.status == 503 && line.client != "192.0.2.1" && line.client != "2001:db8::1" {
			t.Errorf("logged %+v", line)
		}
	}
	r.counts("thresh_serve_connections_refused_total", 2)
}

// visiting returns how many connections and requests an address has, and whether it has been sent bytes of late.
func (r *running) visiting(ip string) (conns int, active bool) {
	r.visitors.mu.Lock()
	defer r.visitors.mu.Unlock()
	a := r.visitors.of[subscriber(netip.MustParseAddr(ip))]
	if a == nil {
		return 0, false
	}
	return a.conns, a.rate != nil && !a.rate.Idle()
}

// TestLimitsBehindProxy: the requests in progress count for their clients, not for the proxy, and so does
// what they are sent, in each loop and over HTTP/2.
func TestLimitsBehindProxy(t *testing.T) {
	for _, how := range []string{"plain", "net/http", "TLS", "HTTP/2"} {
		t.Run(how, func(t *testing.T) {
			change := func(o *Options) {
				trustLoopback(o)
				o.MaxConnsPerIP, o.LimitRatePerIP, o.SendTimeout = 1, 1<<20, time.Hour
			}
			r := start
			if how == "TLS" || how == "HTTP/2" {
				r = startTLSWith
			}
			s := r(t, change)
			big := func(client string) (status func() int, leave func()) {
				if how == "HTTP/2" {
					h := s.dialH2()
					h.request(t, 1, ":method", "GET", ":scheme", "https", ":authority", "x", ":path", "/big.bin", "x-forwarded-for", client)
					return func() int {
						for {
							frame, err := h.ReadFrame()
							if err != nil {
								t.Fatal(err)
							}
							if headers, ok := frame.(interface{ PseudoValue(string) string }); ok {
								var n int
								fmt.Sscan(headers.PseudoValue("status"), &n)
								return n
							}
						}
					}, func() { h.conn.Close() }
				}
				var c net.Conn = s.dial(16 << 10)
				if how == "TLS" {
					c = tls.Client(c, &tls.Config{InsecureSkipVerify: true})
				}
				head := strings.Replace(getSmall, "small.txt", "big.bin", 1) + "X-Forwarded-For: " + client + "\r\n"
				if how == "net/http" {
					head += withLength
				}
				send(t, c, head+"\r\n")
				return func() int {
					resp, err := http.ReadResponse(bufio.NewReaderSize(c, 16), nil)
					if err != nil {
						t.Fatal(err)
					}
					return resp.StatusCode
				}, func() { c.Close() }
			}
			status, leave := big("192.0.2.1")
			if n := status(); n != 200 {
				t.Fatalf("the first: %d", n)
			}
			eventually(t, "its bytes count for the client", func() bool {
				conns, active := s.visiting("192.0.2.1")
				return conns == 1 && active
			})
			s.mu.Lock()
			for c := range s.clients {
				if onConn := c.rate.hook.Load() != nil; onConn != (how != "HTTP/2") {
					t.Errorf("the whole connection has the limit of a client: %v", onConn)
				}
			}
			s.mu.Unlock()
			if conns, _ := s.visiting("127.0.0.1"); conns != 0 {
				t.Errorf("the proxy counts as %d", conns)
			}
			second, leave2 := big("192.0.2.1")
			if n := second(); n != 503 {
				t.Errorf("another one of the same client: %d", n)
			}
			third, leave3 := big("192.0.2.2")
			if n := third(); n != 200 {
				t.Errorf("one of another client: %d", n)
			}
			leave()
			leave2()
			leave3()
			eventually(t, "nobody is here", func() bool {
				one, _ := s.visiting("192.0.2.1")
				two, _ := s.visiting("192.0.2.2")
				return one+two == 0
			})
			s.counts(`thresh_serve_requests_refused_total{limit="connections"}`, 1)
		})
	}
}

// TestRatePerIP: connections of an address share its limit; files go by sendfile, and waits are counted.
func TestRatePerIP(t *testing.T) {
	for _, perConn := range []int64{0, 1 << 30} {
		r := start(t, func(o *Options) { o.LimitRatePerIP, o.LimitRate = 64<<20, perConn })
		began := time.Now()
		for range 2 {
			c := r.dial(0)
			send(t, c, "GET /big.bin HTTP/1.1\r\n"+host+"\r\n")
			if _, body := receive(t, bufio.NewReader(c), "GET"); !bytes.Equal(body, r.big) {
				t.Errorf("%d bytes", len(body))
			}
		}
		// A limiter that lets more through is wrong on any machine. The unused capacity and the
		// first slice, each of 2 MiB, are free.
		if took, least := time.Since(began), time.Second*(2*bigBytes-4<<20)/(64<<20); took < least {
			t.Errorf("%v, at least %v", took, least)
		}
		r.sends(2 * bigBytes)
		if r.stats.waits.Get() == 0 {
			t.Error("no wait is counted")
		}
	}
}

// TestRequestsPerIP: with and without a body, with the headers that tell when to come again.
func TestRequestsPerIP(t *testing.T) {
	r := start(t, func(o *Options) { o.LimitRequestsPerIP, o.CORS = 2.0/3600, []string{"*"} })
	c := r.dial(0)
	b := bufio.NewReader(c)
	for i, more := range []string{"", "", withLength} {
		resp := converseOn(t, c, b, getSmall+"Origin: https://a.example\r\n"+more)
		if i == 0 {
			if resp.StatusCode != 200 {
				t.Errorf("the first: %s", resp.Status)
			}
			continue
		}
		var seconds int
		if fmt.Sscan(resp.Header.Get("Retry-After"), &seconds); resp.StatusCode != 429 || seconds < 1790 || seconds > 1800 {
			t.Errorf("request %d: %s, Retry-After %d", i, resp.Status, seconds)
		}
		if resp.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("request %d: a page cannot read it", i)
		}
	}
	r.counts(`thresh_serve_requests_refused_total{limit="requests"}`, 2)
}
