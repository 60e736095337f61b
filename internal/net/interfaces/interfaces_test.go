package interfaces

import (
	"net/netip"
	"slices"
	"testing"
)

func TestRanked(t *testing.T) {
	a := func(text string, preferred, inner bool) address {
		return address{netip.MustParseAddr(text), preferred, inner}
	}
	got := ranked([]address{
		a("fe80::1", false, false), a("172.17.0.1", false, true), a("2001:db8::2", false, false), a("169.254.1.1", false, false),
		a("fd00::1", false, true), a("10.8.0.1", false, false), a("2001:db8::1", true, false), a("192.168.1.5", true, false),
		a("192.168.1.5", true, false), a("::1", false, false), a("127.0.0.2", false, false), a("224.0.0.1", false, false),
		a("10.8.0.2", false, false),
	})
	var texts []string
	for _, ip := range got {
		texts = append(texts, ip.String())
	}
	want := []string{"192.168.1.5", "2001:db8::1", "10.8.0.1", "10.8.0.2", "2001:db8::2", "172.17.0.1", "fd00::1"}
	if !slices.Equal(texts, want) {
		t.Errorf("%v, want %v", texts, want)
	}
}

// TestAddresses: what the system says is reachable, and none twice.
func TestAddresses(t *testing.T) {
	all, err := Addresses()
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range all {
		if !a.IsGlobalUnicast() || a.IsLoopback() || slices.Contains(all[:i], a) || a.Is4In6() {
			t.Errorf("%v in %v", a, all)
		}
	}
	if first := sourceFor("udp4", "127.0.0.1:9"); first != netip.MustParseAddr("127.0.0.1") {
		t.Errorf("connections to this machine come from %v", first)
	}
	if none := sourceFor("udp4", "[::1]:9"); none.IsValid() {
		t.Errorf("IPv6 is reached from %v by IPv4", none)
	}
}

// TestNames: a name that resolves elsewhere, or not at all, is no use.
func TestNames(t *testing.T) {
	if names := Names(t.Context(), nil); len(names) > 0 {
		t.Errorf("%v resolve to no address", names)
	}
	if Hostname() == "" {
		t.Skip("this machine has no name")
	}
	all, err := Addresses()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names(t.Context(), all) {
		if name != Hostname() && name[len(name)-len(".local"):] != ".local" {
			t.Errorf("%s is not this machine", name)
		}
	}
}
