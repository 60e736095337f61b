package wall

import (
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// socketOf returns the inode of a socket.
func socketOf(t *testing.T, c interface{ File() (*os.File, error) }) uint64 {
	t.Helper()
	f, err := c.File()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var s unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &s); err != nil {
		t.Fatal(err)
	}
	return s.Ino
}

// TestConnections asks the kernel about a listener, and about both ends of a connection whose reader does
// not read.
func TestConnections(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Log(err) // no IPv6
			continue
		}
		defer listener.Close()
		near, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer near.Close()
		far, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer far.Close()
		if err := near.SetWriteDeadline(time.Now().Add(300 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = near.Write(make([]byte, 1<<20)) // until nothing more fits
		}
		inodes := map[string]uint64{
			"listener": socketOf(t, listener.(*net.TCPListener)),
			"near":     socketOf(t, near.(*net.TCPConn)), "far": socketOf(t, far.(*net.TCPConn)),
		}
		for _, test := range []struct {
			socket string
			writes bool
			want   string
		}{
			{"listener", false, "a connection to " + listener.Addr().String()},
			{"near", false, far.LocalAddr().String() + " to send"},
			{"near", true, far.LocalAddr().String() + " to read"},
			{"far", false, near.LocalAddr().String() + " to send"},
			{"far", true, "the way to " + near.LocalAddr().String()}, // it has nothing to send
		} {
			var c connections
			if got := c.waitedFor(inodes[test.socket], test.writes, time.Now()); got != test.want {
				t.Errorf("%s, writes %v: %q, want %q", test.socket, test.writes, got, test.want)
			}
		}
	}
	var c connections
	if got := c.waitedFor(1, false, time.Now()); got != "" {
		t.Errorf("a socket that is none: %q", got)
	}
}

// TestConnectionAnswers: answers that are cut, wrong or of another kernel are survived.
func TestConnectionAnswers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		text := make([]byte, random.IntN(400))
		for i := range text {
			text[i] = byte(random.Uint32() >> 24 & uint32(random.IntN(256)))
		}
		if len(text) >= 6 && random.IntN(4) > 0 {
			text[0], text[1], text[2], text[3] = byte(random.IntN(len(text)+2)), byte(len(text)>>8), 0, 0
			text[4], text[5] = unix.SOCK_DIAG_BY_FAMILY, 0
		}
		all := map[uint64]connection{}
		if more := appendConnections(all, text); more && len(text) == 0 != (len(all) == 0) && len(all) > 1+len(text)/88 {
			t.Fatalf("%d connections in %d bytes", len(all), len(text))
		}
	}
}

func TestWaitedFor(t *testing.T) {
	peer := netip.MustParseAddrPort("192.0.2.1:443")
	for _, test := range []struct {
		c      connection
		writes bool
		want   string
	}{
		{connection{peer: peer, state: tcpConnecting}, true, "192.0.2.1:443 to answer"},
		{connection{peer: peer, state: 1, busy: 100, readerLimited: 50}, true, "192.0.2.1:443 to read"},
		{connection{peer: peer, state: 1, busy: 100, readerLimited: 49}, true, "the way to 192.0.2.1:443"},
		{connection{peer: peer, state: 1, busy: 100, readerLimited: 100}, false, "192.0.2.1:443 to send"},
	} {
		if got := test.c.waitedFor(test.writes); got != test.want {
			t.Errorf("%+v: %q, want %q", test.c, got, test.want)
		}
	}
	e := Evidence{Seconds: 1, OnNetwork: 1, Connections: map[string]float64{"192.0.2.1:443 to send": 0.6, "192.0.2.2:443 to send": 0.4}}
	if v := judge(&e, shares(attribute(&e, two)), two); !strings.HasPrefix(v.Sentence,
		"the network: waited for 192.0.2.1:443 to send 100 % of 1.00 s") {
		t.Error(v.Sentence)
	}
}
