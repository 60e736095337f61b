package serve

import (
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
)

// mixtureOfProxies: behind proxies each line in the log has its client, whichever loop or library wrote
// the response, and what limits refuse is logged and counted. It returns the number of responses.
func mixtureOfProxies(t *testing.T) int {
	var r *running
	through := func(header string) func() (net.Conn, error) {
		return func() (net.Conn, error) {
			conn, err := net.Dial("tcp", r.addr)
			if err == nil {
				_, err = io.WriteString(conn, header)
			}
			return conn, err
		}
	}
	r = start(t, expectProxy)
	m := newMixture(r, through(header2))
	m.learn()
	m.sendAll(8)
	total := m.compare()
	for _, line := range r.logged(total) {
		if line.client != "2001:db8::1" {
			t.Errorf("logged %+v", line)
		}
	}

	r = start(t, func(o *Options) {
		expectProxy(o)
		o.LimitRequestsPerIP, o.MaxConnsPerIP, o.LimitRatePerIP = 2.0/3600, 4, 1<<40
	})
	m = newMixture(r, through(local2))
	m.sendLimited()
	total += m.compare()
	figures := r.figures()
	for name, want := range map[string]float64{
		`thresh_serve_requests_refused_total{limit="requests"}`: 3 * limitedClients, `thresh_serve_requests_refused_total{limit="connections"}`: 0,
		`thresh_serve_proxy_headers_total{result="local"}`: limitedClients, `thresh_serve_proxy_headers_total{result="client"}`: 0,
	} {
		if figures[name] != want {
			t.Errorf("%s is %v, want %v", name, figures[name], want)
		}
	}
	for client := range limitedClients {
		refused := 0
		for _, line := range r.logged(0) {
			if line.client == fmt.Sprintf("192.0.2.%d", client) && line.status == 429 {
				refused++
			}
		}
		if refused != 3 {
			t.Errorf("client %d: %d requests refused", client, refused)
		}
	}
	return total
}

const limitedClients = 40

// sendLimited sends requests of clients that may send one now and one in half an hour.
func (m *mixture) sendLimited() {
	var all sync.WaitGroup
	for client := range limitedClients {
		all.Go(func() {
			get := fmt.Sprintf("GET /small.txt?N HTTP/1.1\r\n%sX-Forwarded-For: 192.0.2.%d\r\n", host, client)
			m.converse(client%2 == 0, step{get, 200}, step{get, 429}, step{get + withLength, 429},
				step{"HEAD" + get[len("GET"):], 429}, step{"GET /small.txt?N HTTP/1.1\r\n" + host, 200})
		})
	}
	all.Wait()
}
