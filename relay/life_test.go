package relay

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/failure"
)

// hold keeps a connection open until the other side ends it.
func hold(c half) { io.Copy(io.Discard, struct{ io.Reader }{c}) }

// A slow reader slows its writer down: the bytes in between are limited by the socket buffers, plus
// one pipe of the relay.
func TestSlowReader(t *testing.T) {
	for _, way := range []string{"to target", "to client"} {
		t.Run(way, func(t *testing.T) {
			far := make(chan half)
			done := make(chan struct{})
			at := target(t, "tcp", func(c half) {
				far <- c
				<-done
			})
			defer close(done)
			r := start(t, at, Options{})
			writer := dial(t, r.addr)
			reader := <-far
			if way == "to client" {
				writer, reader = reader, writer
			}
			// Small buffers at both ends, so that what is in between is in the relay.
			writer.(*net.TCPConn).SetWriteBuffer(64 << 10)
			reader.(*net.TCPConn).SetReadBuffer(64 << 10)
			const much = 64 << 20
			sent := make(chan error, 1)
			go func() {
				_, err := writer.Write(make([]byte, much))
				sent <- errors.Join(err, writer.CloseWrite())
			}()
			var still int
			last := r.Stats().Bytes
			eventually(t, "the relay stands still", func() bool {
				time.Sleep(20 * time.Millisecond)
				now := r.Stats().Bytes
				if still++; now == 0 || now != last {
					last, still = now, 0
				}
				return still > 10
			})
			select {
			case err := <-sent:
				t.Fatalf("all was sent though nothing was read: %v", err)
			default:
			}
			if last > much/2 {
				t.Errorf("%d bytes were passed on though nothing was read", last)
			}
			n, err := io.Copy(io.Discard, struct{ io.Reader }{reader})
			if n != much || err != nil {
				t.Errorf("%d of %d bytes came: %v", n, much, err)
			}
			if err := <-sent; err != nil {
				t.Error(err)
			}
			if err := reader.CloseWrite(); err != nil {
				t.Error(err)
			}
			eventually(t, "the connection ends", func() bool { return r.Stats().Open == 0 })
		})
	}
}

// A connection without progress for IdleTimeout is closed; one with a byte now and then in one
// direction is not.
func TestIdle(t *testing.T) {
	const idle = time.Second
	far := make(chan half)
	done := make(chan struct{})
	at := target(t, "tcp", func(c half) {
		far <- c
		<-done
	})
	defer close(done)
	r := start(t, at, Options{IdleTimeout: idle})
	up, down := dial(t, r.addr), half(nil)
	upFar := <-far
	downFar := dial(t, r.addr)
	down = <-far
	for range 15 { // longer than IdleTimeout
		for writer, reader := range map[half]half{up: upFar, down: downFar} {
			if _, err := writer.Write([]byte{1}); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(reader, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(idle / 10)
	}
	for _, c := range []half{up, upFar, down, downFar} {
		c.SetReadDeadline(time.Now().Add(soon))
		if n, err := c.Read(make([]byte, 1)); n != 0 || !isReset(err) {
			t.Errorf("not reset: %d, %v", n, err)
		}
	}
	eventually(t, "the connections end", func() bool { return r.Stats().Open == 0 })
	if n := r.metrics.closed[endIdle].Get(); n != 2 {
		t.Errorf("%d connections ended idle", n)
	}
}

func TestTargetDown(t *testing.T) {
	down := filepath.Join(t.TempDir(), "down")
	r := start(t, &net.UnixAddr{Name: down, Net: "unix"}, Options{})
	const clients = 20
	for range clients {
		turnedAway(t, r.addr)
	}
	eventually(t, "all are turned away", func() bool { return r.Stats().DialFailures == clients })
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	if err := r.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	reports := r.reported()
	if len(reports) == 0 || len(reports) >= clients {
		t.Fatalf("%d reports of %d failures", len(reports), clients)
	}
	if !errors.Is(reports[0], syscall.ENOENT) || !strings.Contains(reports[0].Error(), "relay to unix:"+down) ||
		!strings.Contains(reports[0].Error(), "check that the target runs") {
		t.Error(reports[0])
	}
	if last := reports[len(reports)-1].Error(); !strings.Contains(last, "more such errors") {
		t.Errorf("suppressed errors are not counted: %s", last)
	}
}

// A target that refuses connections, one that closes them at once, and one that does not answer.
func TestTargetTrouble(t *testing.T) {
	end := func(t *testing.T, r *running) {
		t.Helper()
		turnedAway(t, r.addr)
		eventually(t, "the connection ends", func() bool { return r.Stats().Open == 0 })
	}
	t.Run("refuses", func(t *testing.T) {
		// Nobody listens at port 1. A port that was free a moment ago may be somebody's by now: the kernel gives it out.
		r := start(t, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, Options{})
		end(t, r)
		if reports := r.reported(); len(reports) != 1 || !errors.Is(reports[0], syscall.ECONNREFUSED) {
			t.Errorf("errors: %v", reports)
		}
	})
	t.Run("closes", func(t *testing.T) {
		r := start(t, target(t, "tcp", func(half) {}), Options{})
		if n, err := dial(t, r.addr).Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Fatalf("%d, %v", n, err)
		}
		if reports := r.reported(); len(reports) != 0 {
			t.Errorf("errors: %v", reports)
		}
	})
	t.Run("does not answer", func(t *testing.T) {
		// The timeout ends before any handshake.
		r := start(t, target(t, "tcp", hold), Options{DialTimeout: time.Nanosecond})
		end(t, r)
		if reports := r.reported(); len(reports) != 1 || !strings.Contains(reports[0].Error(), "i/o timeout") {
			t.Errorf("errors: %v", reports)
		}
	})
}

// Beyond the limit clients wait, and are served when other connections end.
func TestLimit(t *testing.T) {
	r := start(t, target(t, "tcp", echo), Options{MaxConns: 2})
	ask := func(c half) error {
		if _, err := c.Write([]byte{7}); err != nil {
			return err
		}
		_, err := io.ReadFull(c, make([]byte, 1))
		return err
	}
	var open []half
	for range 2 {
		c := dial(t, r.addr)
		if err := ask(c); err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
	}
	third := dial(t, r.addr)
	answered := make(chan error, 1)
	go func() { answered <- ask(third) }()
	eventually(t, "the limit is reached", func() bool { return r.metrics.limited.Get() > 0 })
	time.Sleep(100 * time.Millisecond)
	select {
	case err := <-answered:
		t.Fatalf("a third connection was served: %v", err)
	default:
	}
	if s := r.Stats(); s.Open != 2 {
		t.Fatalf("%d connections of 2", s.Open)
	}
	open[0].Close()
	if err := <-answered; err != nil {
		t.Fatal(err)
	}
	open[1].Close()
	third.Close()
}

// Shutdown lets connections end, and cuts those that do not end in time.
func TestDrain(t *testing.T) {
	r := start(t, target(t, "tcp", echo), Options{})
	ends, stays := dial(t, r.addr), dial(t, r.addr)
	for _, c := range []half{ends, stays} {
		c.Write([]byte{1})
		if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	var err error
	all.Go(func() { err = r.Shutdown(ctx) })
	eventually(t, "no more are accepted", func() bool {
		c, err := net.Dial("tcp", r.addr.String())
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	ends.Write([]byte("last words"))
	ends.CloseWrite()
	if text, err := io.ReadAll(ends); err != nil || string(text) != "last words" {
		t.Errorf("%q, %v", text, err)
	}
	eventually(t, "one has ended", func() bool { return r.Stats().Open == 1 })
	cancel()
	all.Wait()
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "1 connections cut") {
		t.Errorf("the end: %v", err)
	}
	if n, err := stays.Read(make([]byte, 1)); n != 0 || !isReset(err) {
		t.Errorf("not reset: %d, %v", n, err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Serve(l); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve after Shutdown: %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, to := range []string{"", "host", ":80", "host:"} {
		if _, err := New(to, Options{}); err == nil || !strings.Contains(err.Error(), "host:port") {
			t.Errorf("%q: %v", to, err)
		}
	}
	for field, o := range map[string]Options{
		"MaxConns": {MaxConns: -1}, "IdleTimeout": {IdleTimeout: -1}, "DialTimeout": {DialTimeout: -1},
	} {
		var wrong *failure.OptionError
		if _, err := New("host:1", o); !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("%s below zero: %v", field, err)
		}
	}
}

// Connections that wrap a socket are read and written, never spliced.
func TestWrapped(t *testing.T) {
	at := target(t, "tcp", echo)
	r, err := New(at.String(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- r.Serve(flipping{l}) }()
	c := dial(t, l.Addr())
	const much = 1 << 20
	go func() {
		c.Write(make([]byte, much))
		c.CloseWrite()
	}()
	text, err := io.ReadAll(struct{ io.Reader }{c})
	if err != nil || len(text) != much {
		t.Fatalf("%d bytes: %v", len(text), err)
	}
	for i, b := range text {
		if b != 0 { // flipped twice
			t.Fatalf("byte %d is %d", i, b)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	if err := r.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	<-served
	if s := r.Stats(); s.Spliced != 0 || s.Bytes != 2*much {
		t.Errorf("%+v", s)
	}
}

// flipping accepts connections that invert all bits.
type flipping struct{ net.Listener }

func (l flipping) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &flipped{c.(*net.TCPConn)}, nil
}

//thresh:ignore bypassedoverride the relay must not go round it, which is tested
type flipped struct{ *net.TCPConn }

func (c *flipped) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	for i := range p[:n] {
		p[i] ^= 0xff
	}
	return n, err
}

func (c *flipped) Write(p []byte) (int, error) {
	q := make([]byte, len(p))
	for i, b := range p {
		q[i] = b ^ 0xff
	}
	return c.TCPConn.Write(q)
}

func TestMetrics(t *testing.T) {
	r := start(t, target(t, "tcp", echo), Options{})
	c := dial(t, r.addr)
	c.Write([]byte("12345"))
	if _, err := io.ReadFull(c, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "both directions are counted", func() bool { return r.Stats().Bytes == 10 })
	w := httptest.NewRecorder()
	r.Metrics().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, line := range []string{
		"thresh_relay_connections_open 1",
		"thresh_relay_connections_total 1",
		"thresh_relay_dial_failures_total 0",
		`thresh_relay_bytes_total{direction="to_target",method="copy"} 5`,
		`thresh_relay_bytes_total{direction="to_client",method="copy"} 5`,
		`thresh_relay_bytes_total{direction="to_client",method="splice"} 0`,
		"thresh_relay_pipes_in_use 0",
	} {
		if !strings.Contains(w.Body.String(), line+"\n") {
			t.Errorf("no %s in\n%s", line, w.Body)
		}
	}
	c.Close()
}
