//go:build linux

package servetest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/serve"
)

// connect dials the server, with a small receive window if asked to.
func connect(t *testing.T, s *server, receiveBytes int) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	if receiveBytes > 0 {
		if err := c.(*net.TCPConn).SetReadBuffer(receiveBytes); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return c
}

// closed waits until the server has closed c, and returns what arrived before.
func closed(t *testing.T, c net.Conn) []byte {
	t.Helper()
	got, err := io.ReadAll(c)
	if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
		t.Error("the server waits for ever")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	return got
}

// TestSlowHeader sends a header byte by byte. Each byte is within every timeout, but the client is
// cut off nevertheless.
func TestSlowHeader(t *testing.T) {
	s := start(t, tree(t), serve.Options{HeaderTimeout: 300 * time.Millisecond})
	c := connect(t, s, 0)
	stop := make(chan struct{})
	var sender sync.WaitGroup
	sender.Go(func() {
		for _, b := range []byte(get("GET", "/one", "HTTP/1.1", "X: "+strings.Repeat("slow", 1000))) {
			if _, err := c.Write([]byte{b}); err != nil {
				return // cut off, as it should be
			}
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	got := closed(t, c)
	close(stop)
	sender.Wait()
	if bytes.Contains(got, []byte("HTTP/1.1 200")) {
		t.Errorf("answered %q", got)
	}
	s.alive(t)
}

// TestSilent connects and sends nothing, and sends nothing after a response.
func TestSilent(t *testing.T) {
	s := start(t, tree(t), serve.Options{HeaderTimeout: 200 * time.Millisecond, IdleTimeout: 200 * time.Millisecond})
	if got := closed(t, connect(t, s, 0)); bytes.HasPrefix(got, []byte("HTTP/1.1 200")) {
		t.Errorf("silence is answered %q", got)
	}
	c := connect(t, s, 0)
	if _, err := io.WriteString(c, get("GET", "/one", "HTTP/1.1")); err != nil {
		t.Fatal(err)
	}
	if got := closed(t, c); !bytes.HasPrefix(got, []byte("HTTP/1.1 200")) || !bytes.HasSuffix(got, []byte("\r\n\r\n1")) {
		t.Errorf("answered %q", got)
	}
	s.alive(t)
}

// TestSlowReader reads a little now and then, in total longer than the timeout but with no pause as
// long: it gets the whole file. A client that does not read at all is cut off.
func TestSlowReader(t *testing.T) {
	root := tree(t)
	big := noise(8 << 20)
	if err := os.WriteFile(filepath.Join(root, "big"), big, 0o644); err != nil {
		t.Fatal(err)
	}
	s := start(t, root, serve.Options{SendTimeout: 2 * time.Second})
	ask := get("GET", "/big", "HTTP/1.1", "Connection: close")

	stalled := connect(t, s, 4<<10)
	if _, err := io.WriteString(stalled, ask); err != nil {
		t.Fatal(err)
	}
	slow := connect(t, s, 64<<10)
	if _, err := io.WriteString(slow, ask); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for begin := time.Now(); time.Since(begin) < 5*time.Second; time.Sleep(100 * time.Millisecond) {
		if _, err := io.CopyN(&got, slow, 100<<10); err != nil {
			t.Fatalf("after %d bytes: %v", got.Len(), err)
		}
	}
	got.Write(closed(t, slow))
	if !bytes.HasSuffix(got.Bytes(), big) {
		t.Errorf("a slow reader got %d bytes", got.Len())
	}
	// By now the other client has not read for longer than the server waits. Reading what is left
	// in the kernel would take long, but a write to a closed connection fails.
	eventually(t, func() error {
		if _, err := stalled.Write([]byte("x")); err != nil {
			return nil
		}
		return errors.New("the client that does not read is not cut off")
	})
	if err := stalled.Close(); err != nil {
		t.Error(err)
	}
	s.alive(t)
}

// TestSlowBody announces a body and sends it byte by byte, or never.
func TestSlowBody(t *testing.T) {
	s := start(t, tree(t), serve.Options{HeaderTimeout: 300 * time.Millisecond, IdleTimeout: 300 * time.Millisecond, SendTimeout: 300 * time.Millisecond})
	for _, raw := range []string{
		"POST /one HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nx",
		"GET /one HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nx",
		"GET /one HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nf4240\r\nx",
		"PUT /one HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n\r\n",
	} {
		c := connect(t, s, 0)
		if _, err := io.WriteString(c, raw); err != nil {
			t.Fatal(err)
		}
		if got := closed(t, c); !bytes.HasPrefix(got, []byte("HTTP/1.1 ")) {
			t.Errorf("%.40q is answered %q", raw, got)
		}
	}
	s.alive(t)
}

// TestVanish: clients leave before, within, and after the header, and at various points of the
// body, with and without a reset.
func TestVanish(t *testing.T) {
	root := tree(t)
	s := start(t, root, serve.Options{})
	var clients sync.WaitGroup
	for n := range 60 {
		clients.Go(func() {
			c := connect(t, s, 64<<10)
			defer func() {
				if n%2 == 0 {
					if err := c.(*net.TCPConn).SetLinger(0); err != nil {
						t.Error(err)
					}
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}()
			ask := get("GET", "/3m.bin", "HTTP/1.1")
			switch n % 6 {
			case 0:
				return
			case 1:
				ask = ask[:10]
			case 2:
				ask = get("GET", "/3m.bin", "HTTP/1.1", "Range: bytes=0-1000000,1500000-2500000")
			}
			if _, err := io.WriteString(c, ask); err != nil {
				t.Error(err)
			}
			if n%6 > 1 {
				if _, err := io.CopyN(io.Discard, c, int64(n)*4096); err != nil {
					t.Error(err)
				}
			}
		})
	}
	clients.Wait()
	s.alive(t)
}

// TestHeaderBombs sends unlimited headers: they are refused soon. The refusal may be cut short,
// because the server does not read the rest only to deliver it.
func TestHeaderBombs(t *testing.T) {
	s := start(t, tree(t), serve.Options{HeaderTimeout: 5 * time.Second})
	for name, more := range map[string]string{
		"a name":  strings.Repeat("x", 4<<20) + ": y\r\n",
		"a value": "X: " + strings.Repeat("x", 4<<20) + "\r\n",
		"many":    strings.Repeat("X: y\r\n", 1<<20),
		"cookies": strings.Repeat("Cookie: a=b; c=d\r\n", 1<<18),
		"blanks":  "X:" + strings.Repeat(" ", 4<<20) + "y\r\n",
		"ranges":  "Range: bytes=" + strings.Repeat("0-0,", 1<<20) + "0-0\r\n",
	} {
		r, err := exchange(s.addr, "GET /one HTTP/1.1\r\nHost: a\r\n"+more+"\r\n")
		if refused := r.status == 431 || r.status == 400; !refused && (err != nil || r.status != 0) {
			t.Errorf("%s: %d, %v", name, r.status, err)
		}
	}
	r, err := exchange(s.addr, "GET /"+strings.Repeat("x", 4<<20)+" HTTP/1.1\r\nHost: a\r\n\r\n")
	if refused := r.status == 431 || r.status == 414; !refused && (err != nil || r.status != 0) {
		t.Errorf("a target of 4 MiB: %d, %v", r.status, err)
	}
	s.alive(t)
}

// TestManyRanges requests more than the file in small overlapping ranges: the response must exceed
// the file only by the part headers.
func TestManyRanges(t *testing.T) {
	s := start(t, tree(t), serve.Options{})
	for name, spec := range map[string]string{
		"whole file over and over": strings.Repeat("0-,", 150) + "0-",
		"overlapping":              strings.Repeat("0-102399,1-102399,", 70) + "0-",
		"single bytes":             strings.TrimSuffix(strings.Repeat("0-0,2-2,", 2000), ","),
		"descending":               "90000-,80000-,70000-,60000-,50000-,40000-,30000-,20000-,10000-,0-",
	} {
		r, err := exchange(s.addr, get("GET", "/100k.bin", "HTTP/1.1", "Connection: close", "Range: bytes="+spec))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if len(r.body) > 130<<10 {
			t.Errorf("%s: %d with %d bytes, of a file of %d", name, r.status, len(r.body), 100<<10)
		}
	}
	s.alive(t)
}

// TestLimits opens more connections than one address may have: further ones are refused until
// others are closed.
func TestLimits(t *testing.T) {
	s := start(t, tree(t), serve.Options{MaxConnsPerIP: 4})
	var held []net.Conn
	for range 4 {
		c := connect(t, s, 0)
		if _, err := io.WriteString(c, get("GET", "/one", "HTTP/1.1")); err != nil {
			t.Fatal(err)
		}
		if r, err := receive(bufio.NewReader(c), "GET"); err != nil || r.status != 200 {
			t.Fatalf("below the limit: %d, %v", r.status, err)
		}
		held = append(held, c)
	}
	r, err := exchange(s.addr, get("GET", "/one", "HTTP/1.1"))
	if err != nil || r.status != 503 && r.status != 429 && r.status != 0 {
		t.Errorf("the fifth connection: %d, %v", r.status, err)
	}
	for _, c := range held {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	eventually(t, func() error {
		r, err := exchange(s.addr, get("GET", "/one", "HTTP/1.1", "Connection: close"))
		if err == nil && r.status != 200 {
			return fmt.Errorf("after the others have gone: %d", r.status)
		}
		return err
	})
}
