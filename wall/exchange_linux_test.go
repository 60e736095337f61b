package wall_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/test/walls"
	"github.com/thresh-dev/thresh/wall"
)

// TestExchange: what lies in the sockets says which direction of a connection is waited for, also where a program waits
// for both at once.
func TestExchange(t *testing.T) {
	for _, test := range []struct {
		how        string
		serverRead bool
		want       string
	}{
		{"poll", false, "to read"},
		{"answer", false, "to read"},
		{"write", false, "to read"},
		{"ask", false, "to read"},
		{"ask", true, "to send"},
	} {
		t.Run(fmt.Sprintf("%s, read %v", test.how, test.serverRead), func(t *testing.T) {
			t.Parallel()
			retry(t, func(t *testing.T) error {
				server, seen := holding(t, test.serverRead)
				cmd := shell(t, "exec $SELF exchange "+test.how)
				cmd.Env = append(cmd.Env, "SERVER="+server)
				r, err := wall.Run(t.Context(), cmd, wall.Options{})
				if err != nil {
					t.Fatal(err)
				}
				sockets := <-seen
				if r.Wall != wall.Network || r.Evidence.Connections[server+" "+test.want] < 0.8*r.Evidence.OnNetwork {
					return fmt.Errorf("%s; %v; half way:\n%s", r.Sentence, r.Evidence.Connections, sockets)
				}
				return nil
			})
		})
	}
}

// holding serves one connection that it holds up for a while. It may read meanwhile, but does not write. It sends what
// the kernel's table says of the two sockets half way, for the message of a test that fails.
func holding(t *testing.T, reads bool) (address string, seen <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sockets := make(chan string, 1)
	go func() {
		defer close(sockets)
		defer l.Close()
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		if reads {
			go func() { _, _ = io.Copy(io.Discard, conn) }() // until the connection is closed
		}
		time.Sleep(walls.Hold / 2)
		sockets <- socketsOf(conn)
		time.Sleep(walls.Hold / 2)
	}()
	return l.Addr().String(), sockets
}

// socketsOf returns the lines of the kernel's table that tell of a connection's port: states, and bytes unsent and unread.
func socketsOf(conn net.Conn) string {
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return err.Error()
	}
	port := fmt.Sprintf(":%04X ", conn.RemoteAddr().(*net.TCPAddr).Port)
	var lines []string
	for line := range strings.Lines(string(table)) {
		if strings.Contains(line, port) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}
