package wall_test

import (
	"fmt"
	"io"
	"net"
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
				server, ended := holding(t, test.serverRead)
				cmd := shell(t, "exec $SELF exchange "+test.how)
				cmd.Env = append(cmd.Env, "SERVER="+server)
				r, err := wall.Run(t.Context(), cmd, wall.Options{})
				if err != nil {
					t.Fatal(err)
				}
				<-ended
				if r.Wall != wall.Network || r.Evidence.Connections[server+" "+test.want] < 0.8*r.Evidence.OnNetwork {
					return fmt.Errorf("%s; %v", r.Sentence, r.Evidence.Connections)
				}
				return nil
			})
		})
	}
}

// holding serves one connection that it holds up for a while. It may read meanwhile, but does not write.
func holding(t *testing.T, reads bool) (address string, ended <-chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer l.Close()
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		if reads {
			go func() { _, _ = io.Copy(io.Discard, conn) }() // until the connection is closed
		}
		time.Sleep(walls.Hold)
	}()
	return l.Addr().String(), done
}
