package wall

import (
	"fmt"
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

// TestOwnBoth: what a process has both ends of is for waking itself; a pipe or socket of which it has one is not.
func TestOwnBoth(t *testing.T) {
	tree := &tree{buf: make([]byte, 32<<10)}
	self := &process{pid: os.Getpid()}
	inode := func(fd int) uint64 {
		var s unix.Stat_t
		if err := unix.Fstat(fd, &s); err != nil {
			t.Fatal(err)
		}
		return s.Ino
	}
	var pair, ends [2]int
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = unix.Pipe2(ends[:], unix.O_CLOEXEC)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pair[0])
	defer unix.Close(ends[0])
	socket := waiting{kind: anywhere, end: onInput, inode: inode(pair[0])}
	reads := waiting{kind: pipe, end: onInput, inode: inode(ends[0])}
	if peer := localPeer(socket.inode); peer != inode(pair[1]) {
		t.Errorf("the peer of %d is %d, want %d", socket.inode, peer, inode(pair[1]))
	}
	if !tree.ownBoth(self, socket) || !tree.ownBoth(self, reads) || tree.ownBoth(self, waiting{end: onNetwork}) {
		t.Error("both ends are its own")
	}
	_, _ = unix.Close(pair[1]), unix.Close(ends[1])
	tree.readPipes(self)
	if tree.ownBoth(self, socket) || tree.ownBoth(self, reads) || localPeer(1) != 0 {
		t.Error("an end is closed")
	}
}

// TestConnections asks the kernel about a listener, and about both ends of a connection whose reader does
// not read.
func TestConnections(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0", ":0"} { // the last one takes IPv4 at a socket of IPv6
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Log(err) // no IPv6
			continue
		}
		defer listener.Close()
		to := listener.Addr().String()
		if address == ":0" {
			to = fmt.Sprintf("127.0.0.1:%d", listener.Addr().(*net.TCPAddr).Port)
		}
		near, err := net.Dial("tcp", to)
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
		var c connections
		defer func() { c.close() }()
		for _, test := range []struct {
			socket string
			writes bool
			want   string
		}{
			{"listener", false, "a connection to " + listener.Addr().String()},
			{"near", false, far.LocalAddr().String() + " to read"}, // what it has sent lies there unread
			{"near", true, far.LocalAddr().String() + " to read"},
			{"far", false, near.LocalAddr().String() + " to send"},
			{"far", true, "the way to " + near.LocalAddr().String()}, // it has nothing to send
		} {
			if got := c.waitedFor(inodes[test.socket], test.writes, time.Now()); got != test.want {
				t.Errorf("%s, writes %v: %q, want %q", test.socket, test.writes, got, test.want)
			}
		}
		before := c.list[inodes["near"]]
		time.Sleep(20 * time.Millisecond) // several of the kernel's clock ticks
		c.waitedFor(inodes["near"], true, time.Now())
		if after := c.list[inodes["near"]]; after.busy <= before.busy || after.unsent == 0 {
			t.Errorf("a socket with data to send was %+v and is %+v", before, after)
		}
		c.list = listConnections()
		if listed := c.listedFarEnd(before); listed == nil || listed.unread == 0 || listed.local != before.peer {
			t.Errorf("the other end in the list of all sockets: %+v", listed)
		}
		other := before // another port of this end, which has no connection
		other.id[0] ^= 1
		other.local = netip.AddrPortFrom(other.local.Addr(), other.local.Port()^1<<8)
		if far := c.farEnd(other); far != nil {
			t.Errorf("the other end of nothing: %+v", far)
		}
	}
	var c connections
	defer func() { c.close() }()
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
	idle, full := &connection{}, &connection{unread: 1}
	for _, test := range []struct {
		c      connection
		far    *connection
		writes bool
		want   string
	}{
		{connection{state: tcpConnecting}, nil, true, "192.0.2.1:443 to answer"},
		{connection{unsent: 1, busy: 100, readerLimited: 50}, nil, true, "192.0.2.1:443 to read"},
		{connection{unsent: 1, busy: 100, readerLimited: 49}, nil, true, "the way to 192.0.2.1:443"},
		{connection{unsent: 1, busy: 100, readerLimited: 50}, nil, false, "192.0.2.1:443 to read"}, // epoll for both, or an answer
		{connection{unsent: 1, busy: 100, readerLimited: 49}, nil, false, "the way to 192.0.2.1:443"},
		{connection{unsent: 1}, nil, false, "the way to 192.0.2.1:443"},
		{connection{unsent: 1}, full, true, "192.0.2.1:443 to read"},
		{connection{unsent: 1}, idle, true, "192.0.2.1:443 to read"},
		{connection{}, full, false, "192.0.2.1:443 to read"},
		{connection{}, idle, false, "192.0.2.1:443 to send"},
		{connection{busy: 100, readerLimited: 100}, nil, false, "192.0.2.1:443 to send"}, // all has been read by now
		{connection{unread: 1}, nil, false, "192.0.2.1:443 to send"},
		{connection{}, nil, true, "the way to 192.0.2.1:443"},
	} {
		if test.c.peer = peer; test.c.state == 0 {
			test.c.state = 1
		}
		if got := test.c.waitedFor(test.far, test.writes); got != test.want {
			t.Errorf("%+v, far %+v, writes %v: %q, want %q", test.c, test.far, test.writes, got, test.want)
		}
	}
	late := connection{unsent: 1, peer: peer, busy: 190, readerLimited: 100} // the reader was slow, now the way is
	if got := late.since(connection{busy: 100, readerLimited: 100}).waitedFor(nil, true); got != "the way to 192.0.2.1:443" {
		t.Error(got)
	}
	if got := late.since(connection{busy: 190, readerLimited: 100}).waitedFor(nil, true); got != "192.0.2.1:443 to read" {
		t.Error(got)
	}
	e := Evidence{Seconds: 1, OnNetwork: 1, Connections: map[string]float64{"192.0.2.1:443 to send": 0.6, "192.0.2.2:443 to send": 0.4}}
	if v := judge(&e, shares(attribute(&e, two)), two); !strings.HasPrefix(v.Sentence,
		"the network: waited for 192.0.2.1:443 to send 100 % of 1.00 s") {
		t.Error(v.Sentence)
	}
}
