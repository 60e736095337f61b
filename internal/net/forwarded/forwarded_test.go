package forwarded

import (
	"net/netip"
	"strings"
	"testing"
)

func parse(t *testing.T, names ...string) *Proxies {
	t.Helper()
	p, wrong, err := Parse(names)
	if err != nil {
		t.Fatalf("%s: %v", wrong, err)
	}
	return &p
}

func TestTrust(t *testing.T) {
	p := parse(t, "loopback", "private", "192.0.2.7", "2001:db8::/32", "::ffff:198.51.100.1")
	for text, want := range map[string]bool{
		"127.0.0.1": true, "127.255.255.255": true, "::1": true, "::ffff:127.0.0.1": true, "126.255.255.255": false, "128.0.0.0": false, "::2": false,
		"10.0.0.0": true, "10.255.255.255": true, "11.0.0.0": false, "9.255.255.255": false, "172.16.0.0": true, "172.31.255.255": true,
		"172.32.0.0": false, "172.15.255.255": false, "192.168.0.0": true, "192.168.255.255": true, "192.169.0.0": false, "192.167.255.255": false,
		"fc00::": true, "fdff:ffff::1": true, "fe00::": false, "fbff::": false, "fe80::1": false, "fd00::1%eth0": true,
		"192.0.2.7": true, "::ffff:192.0.2.7": true, "192.0.2.6": false, "192.0.2.8": false,
		"2001:db8::": true, "2001:db8:ffff::1": true, "2001:db9::": false, "198.51.100.1": true, "198.51.100.2": false,
	} {
		if got := p.Trust(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if p.Trust(netip.Addr{}) || !parse(t, "unix").Trust(netip.Addr{}) {
		t.Error("unix sockets are trusted if they are named")
	}
	if none := parse(t); !none.None() || p.None() || parse(t, "unix").None() || none.Trust(netip.MustParseAddr("127.0.0.1")) {
		t.Error("None is about what is trusted")
	}
}

func TestWrongNames(t *testing.T) {
	for _, name := range []string{"", "localhost", "Loopback", "10.0.0.0/33", "10.0.0", "10.0.0.0/-1", "fe80::1%eth0", "10.0.0.1:80",
		"a/8", "::ffff:10.0.0.0/104", "*"} {
		if _, wrong, err := Parse([]string{"loopback", name, "unix"}); wrong != name || err == nil || !strings.Contains(err.Error(), "not an address") {
			t.Errorf("%q: %q, %v", name, wrong, err)
		}
	}
	if _, wrong, err := Parse([]string{"10.0.0.1/8"}); wrong != "10.0.0.1/8" || err == nil || !strings.Contains(err.Error(), "10.0.0.0/8") {
		t.Errorf("a block with more bits: %v", err)
	}
}

func TestClient(t *testing.T) {
	p := parse(t, "10.0.0.0/8", "fd00::/8")
	for _, c := range []struct {
		lists []string
		want  string // empty: the proxy itself
	}{
		{nil, ""},
		{[]string{"192.0.2.1"}, "192.0.2.1:0"},
		{[]string{"192.0.2.1:80"}, "192.0.2.1:80"},
		{[]string{"2001:db8::1"}, "[2001:db8::1]:0"},
		{[]string{"[2001:db8::1]"}, "[2001:db8::1]:0"},
		{[]string{"[2001:db8::1]:80"}, "[2001:db8::1]:80"},
		{[]string{"::ffff:192.0.2.1"}, "192.0.2.1:0"},
		{[]string{"[::ffff:192.0.2.1]:80"}, "192.0.2.1:80"},
		{[]string{"fe80::1%eth0"}, "[fe80::1]:0"},
		// The rest of the list is what the client sent.
		{[]string{"198.51.100.9, 192.0.2.1"}, "192.0.2.1:0"},
		{[]string{"<script>, unknown,,192.0.2.1"}, "192.0.2.1:0"},
		{[]string{"198.51.100.9", "192.0.2.1"}, "192.0.2.1:0"},
		{[]string{"", "192.0.2.1"}, "192.0.2.1:0"},
		// Trusted proxies are passed.
		{[]string{"198.51.100.9, 192.0.2.1,10.1.2.3\t, 10.0.0.1"}, "192.0.2.1:0"},
		{[]string{"198.51.100.9, 192.0.2.1", "10.1.2.3", "fd00::1,[fd00::2]:80"}, "192.0.2.1:0"},
		{[]string{"10.0.0.9:1, 10.0.0.2"}, "10.0.0.9:1"},
		{[]string{"10.0.0.9", "10.0.0.2"}, "10.0.0.9:0"},
		{[]string{"::ffff:10.0.0.3"}, "10.0.0.3:0"},
		// What trusted proxies wrote must be addresses.
		{[]string{""}, ""},
		{[]string{"unknown"}, ""},
		{[]string{"192.0.2.1, unknown"}, ""},
		{[]string{"192.0.2.1, unknown, 10.0.0.1"}, ""},
		{[]string{"192.0.2.1, , 10.0.0.1"}, ""},
		{[]string{"192.0.2.1,"}, ""},
		{[]string{"192.0.2.1", ""}, ""},
		{[]string{"_hidden"}, ""},
		{[]string{"192.0.2.1:"}, ""},
		{[]string{"192.0.2.1:99999"}, ""},
		{[]string{"192.0.2.256"}, ""},
		{[]string{"192.0.2.01"}, ""},
		{[]string{"[192.0.2.1]"}, ""},
		{[]string{"[2001:db8::1"}, ""},
		{[]string{"2001:db8::1]"}, ""},
		{[]string{"[[2001:db8::1]]"}, ""},
		{[]string{"192.0.2.1 192.0.2.2"}, ""},
		{[]string{`"192.0.2.1"`}, ""},
	} {
		got, ok := p.Client(c.lists)
		if ok != (c.want != "") || ok && got.String() != c.want {
			t.Errorf("%q: %v, %v, want %q", c.lists, got, ok, c.want)
		}
	}
}

// A server may ask for every request.
func TestClientAllocates(t *testing.T) {
	p := parse(t, "private")
	lists := []string{"198.51.100.9, 2001:db8::1, [fd00::1]:80", "10.0.0.1"}
	if n := testing.AllocsPerRun(100, func() { p.Client(lists) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
