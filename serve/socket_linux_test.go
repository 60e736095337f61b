package serve

import (
	"bufio"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// rawServed returns the server's end of its only connection.
func rawServed(t *testing.T, r *running) syscall.RawConn {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.clients) != 1 {
		t.Fatalf("there are %d connections", len(r.clients))
	}
	for c := range r.clients {
		return rawOf(t, c.conn.NetConn())
	}
	return nil
}

func rawOf(t *testing.T, c any) syscall.RawConn {
	t.Helper()
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// option returns what get reads of a socket.
func option[T any](t *testing.T, raw syscall.RawConn, get func(fd int) (T, error)) (v T) {
	t.Helper()
	var err error
	if cerr := raw.Control(func(fd uintptr) { v, err = get(int(fd)) }); cerr != nil {
		t.Fatal(cerr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestArchiveCorked: headers, bodies and padding of an archive share segments. Afterwards responses leave at
// once again.
func TestArchiveCorked(t *testing.T) {
	r := start(t, func(o *Options) { o.Archives = true })
	makeFiles(t, r.folder, map[string]string{"many/a": "", "many/b": ""})
	const size = 32 << 20 // more than the sockets hold
	if err := os.Truncate(filepath.Join(r.folder, "many/b"), size); err != nil {
		t.Fatal(err)
	}
	conn := r.dial(0)
	in := bufio.NewReader(conn)
	send(t, conn, "GET /many/?archive=tar HTTP/1.1\r\n"+host+"\r\n")
	var served syscall.RawConn
	isCorked := func() bool {
		return option(t, served, func(fd int) (int, error) {
			return unix.GetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_CORK)
		}) == 1
	}
	if _, err := in.Peek(1); err != nil {
		t.Fatal(err)
	}
	served = rawServed(t, r)
	eventually(t, "the archive is corked", isCorked)
	if resp, body := receive(t, in, "GET"); resp.StatusCode != 200 || len(body) < size {
		t.Fatalf("%s, %d bytes", resp.Status, len(body))
	}
	eventually(t, "the cork is removed", func() bool { return !isCorked() })
}

// TestListenerUnpaced: connections to a loopback address are not paced by BBR. Another congestion control
// is left alone.
func TestListenerUnpaced(t *testing.T) {
	for before, after := range map[string]string{"bbr": "reno", "cubic": "cubic", "reno": "reno"} {
		t.Run(before, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			socket := rawOf(t, l)
			if cerr := socket.Control(func(fd uintptr) {
				err = unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, before)
			}); cerr != nil || err != nil {
				l.Close()
				t.Skipf("congestion control %s: %v, %v", before, cerr, err)
			}
			r := startOn(t, l, nil)
			conn := r.dial(0)
			send(t, conn, "GET /small.txt HTTP/1.1\r\n"+host+"\r\n")
			receive(t, bufio.NewReader(conn), "GET")
			if name := option(t, rawServed(t, r), func(fd int) (string, error) {
				return unix.GetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION)
			}); name != after {
				t.Errorf("%s became %s", before, name)
			}
		})
	}
}
