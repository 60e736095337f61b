package relay

import (
	"context"
	"io"
	"net"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// choose sets a socket's congestion control. It skips the test if this user may not.
func choose(t *testing.T, raw syscall.RawConn, name string) {
	t.Helper()
	var err error
	if cerr := raw.Control(func(fd uintptr) {
		err = unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, name)
	}); cerr != nil {
		t.Fatal(cerr)
	}
	if err != nil {
		t.Skipf("congestion control %s: %v", name, err)
	}
}

func chosen(t *testing.T, raw syscall.RawConn) (name string) {
	t.Helper()
	var err error
	if cerr := raw.Control(func(fd uintptr) {
		name, err = unix.GetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	}); cerr != nil || err != nil {
		t.Fatal(cerr, err)
	}
	return name
}

// A loopback listener does not pace its connections, whatever the system's default. Another
// congestion control is left alone.
func TestListenerUnpaced(t *testing.T) {
	for _, c := range []struct{ before, after string }{{"bbr", "reno"}, {"cubic", "cubic"}, {"reno", "reno"}} {
		t.Run(c.before, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			socket := raw(t, l)
			choose(t, socket, c.before)
			r, err := New(target(t, "tcp", echo).String(), Options{})
			if err != nil {
				t.Fatal(err)
			}
			served := make(chan error, 1)
			go func() { served <- r.Serve(l) }()
			talker := dial(t, l.Addr())
			talker.Write([]byte{1})
			if _, err := io.ReadFull(talker, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			if name := chosen(t, socket); name != c.after {
				t.Errorf("%s became %s", c.before, name)
			}
			talker.Close()
			ctx, cancel := context.WithTimeout(context.Background(), soon)
			defer cancel()
			if err := r.Shutdown(ctx); err != nil {
				t.Error(err)
			}
			<-served
		})
	}
}

// A connection to a loopback target is not paced; one to another target is.
func TestDialUnpaced(t *testing.T) {
	for addr, after := range map[string]string{
		"127.0.0.1:1": "reno", "[::1]:1": "reno", "[::ffff:127.0.0.1]:1": "reno", "192.0.2.1:1": "bbr", "[2001:db8::1]:1": "bbr",
	} {
		t.Run(addr, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			socket := raw(t, l)
			choose(t, socket, "bbr")
			r, err := New(addr, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := r.dialer.Control("tcp", addr, socket); err != nil {
				t.Fatal(err)
			}
			if name := chosen(t, socket); name != after {
				t.Errorf("it is %s", name)
			}
		})
	}
}

func raw(t *testing.T, c any) syscall.RawConn {
	t.Helper()
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
