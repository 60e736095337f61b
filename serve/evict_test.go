package serve

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"
)

// get requests the small file and keeps the connection.
func get(t *testing.T, c net.Conn) {
	t.Helper()
	send(t, c, "GET /small.txt HTTP/1.1\r\n"+host+"\r\n")
	if resp, body := receive(t, bufio.NewReader(c), "GET"); resp.StatusCode != 200 || string(body) != smallBody {
		t.Errorf("%s, %q", resp.Status, body)
	}
}

// isOpen reports whether the server has not closed c.
func isOpen(t *testing.T, c net.Conn) bool {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	_, err := c.Read(make([]byte, 1))
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// TestEviction: a client for which there is no room displaces the one that has been idle longest,
// long before its time is over, and never one with a request in progress.
func TestEviction(t *testing.T) {
	r := start(t, func(o *Options) { o.MaxConns = 4 })
	download := r.dial(64 << 10)
	send(t, download, "GET /big.bin HTTP/1.1\r\n"+host+"\r\n")
	from := bufio.NewReader(download)
	resp, err := http.ReadResponse(from, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept, slow, silent := r.dial(0), r.dial(0), r.dial(0)
	send(t, slow, "GET /small.txt HT")
	eventually(t, "all are accepted", func() bool { return r.stats.open.Load() == 4 })
	time.Sleep(20 * time.Millisecond) // now kept is the last one that was active
	get(t, kept)
	for _, c := range []struct {
		gone net.Conn
		name string
	}{{slow, "a client with half a header"}, {silent, "a silent client"}, {kept, "a client between two requests"}} {
		next := r.dial(0)
		get(t, next)
		if isOpen(t, c.gone) {
			// The first two came at the same time.
			if c.gone != slow && c.gone != silent || isOpen(t, slow) == isOpen(t, silent) {
				t.Errorf("%s stays", c.name)
			}
		}
	}
	if isOpen(t, slow) || isOpen(t, silent) {
		t.Error("a client without a whole request stays, and one with is gone")
	}
	r.counts("thresh_serve_connections_evicted_total", 3)
	if body, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(body, r.big) {
		t.Errorf("%d bytes of the download, %v", len(body), err)
	}
	if n := r.errs.containing(""); n != 0 {
		t.Errorf("errors: %v", r.errs.all)
	}
}

// TestNoEviction: while all clients are busy, others wait.
func TestNoEviction(t *testing.T) {
	r := start(t, func(o *Options) { o.MaxConns = 1 })
	download := r.dial(64 << 10)
	send(t, download, "GET /big.bin HTTP/1.1\r\n"+host+"\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(download), nil)
	if err != nil {
		t.Fatal(err)
	}
	next := r.dial(0)
	send(t, next, "GET /small.txt HTTP/1.1\r\n"+host+"\r\n")
	time.Sleep(evictableAfter + 4*evictionPoll)
	if !isOpen(t, next) {
		t.Error("the one that waits is answered or closed")
	}
	if body, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(body, r.big) {
		t.Errorf("%d bytes of the download, %v", len(body), err)
	}
	if resp, body := receive(t, bufio.NewReader(next), "GET"); string(body) != smallBody {
		t.Errorf("%s, %q", resp.Status, body)
	}
	if isOpen(t, download) {
		t.Error("the download's connection was idle for the other one, and stays")
	}
}

// TestEvictionTLS: connections with TLS are evicted too, silent ones and those of HTTP/2.
func TestEvictionTLS(t *testing.T) {
	folder := t.TempDir()
	newPair(t, folder, "first")
	r := start(t, func(o *Options) {
		o.TLSCert, o.TLSKey, o.MaxConns = folder+"/c.pem", folder+"/k.pem", 1
	})
	silent := r.dial(0)
	for _, proto := range []string{"h2", "http/1.1"} {
		transport := &http.Transport{
			TLSClientConfig:   &tls.Config{InsecureSkipVerify: true, NextProtos: []string{proto}},
			ForceAttemptHTTP2: proto == "h2",
		}
		t.Cleanup(transport.CloseIdleConnections)
		client := &http.Client{Transport: transport, Timeout: patience}
		resp, err := client.Get("https://" + r.addr + "/small.txt")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(body) != smallBody || (resp.ProtoMajor == 2) != (proto == "h2") {
			t.Errorf("%s: %q, %v", resp.Proto, body, err)
		}
	}
	if isOpen(t, silent) {
		t.Error("the silent client stays")
	}
	get(t, tlsClient(t, r))
	r.counts("thresh_serve_connections_evicted_total", 3)
}

func tlsClient(t *testing.T, r *running) net.Conn {
	t.Helper()
	conn, err := tls.Dial("tcp", r.addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// TestHeaderDeadline: a header has a time from the beginning of the connection, whatever arrives of it when.
func TestHeaderDeadline(t *testing.T) {
	const wait = 400 * time.Millisecond
	r := start(t, func(o *Options) { o.HeaderTimeout = wait })
	c := r.dial(0)
	time.Sleep(wait / 2)
	send(t, c, "POST /small.txt HTTP/1.1\r\n")
	sent := time.Now()
	resp, body := receive(t, bufio.NewReader(c), "POST")
	if resp.StatusCode != 408 {
		t.Errorf("%s", resp.Status)
	}
	line := r.logged(1)[0]
	if line.status != 408 || line.request != "POST /small.txt HTTP/1.1" || line.bytes != int64(len(body)) {
		t.Errorf("logged %+v", line)
	}
	t.Logf("answered %v after it was sent", time.Since(sent)) // a busy machine adds to it
}

// TestFreshStay: a connection is not evicted while its first request may still be on its way.
func TestFreshStay(t *testing.T) {
	r := start(t, nil)
	r.dial(0)
	eventually(t, "it is accepted", func() bool { return r.stats.open.Load() == 1 })
	idleFor := func(d time.Duration) {
		r.mu.Lock()
		defer r.mu.Unlock()
		for c := range r.clients {
			c.since.Store(r.now() - int64(d))
		}
	}
	idleFor(evictableAfter - time.Hour) // as if the test had taken no time
	if n := r.evict(1); n != 0 {
		t.Errorf("%d are evicted at once", n)
	}
	idleFor(evictableAfter + time.Millisecond)
	if n := r.evict(2); n != 1 {
		t.Errorf("%d are evicted later", n)
	}
}
