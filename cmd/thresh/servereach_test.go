//go:build linux

package main

import (
	"bytes"
	"context"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/net/interfaces"
	"github.com/thresh-dev/thresh/internal/net/selfsigned"
)

func TestHSTSFlag(t *testing.T) {
	for text, want := range map[string]string{
		"365d": "max-age=31536000", "365d;includeSubDomains": "max-age=31536000; includeSubDomains",
		"730d; includeSubDomains; preload": "max-age=63072000; includeSubDomains; preload",
		"1h":                               "max-age=3600", "0": "max-age=0", "90s": "max-age=90",
		"": "", "x": "", "-1h": "", "-1d": "", "1y": "", "d": "", "99999999999d": "",
	} {
		got, err := parseHSTS(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// TestSubject: on a loopback address the certificate depends on nothing that changes.
func TestSubject(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:8080", "localhost:0", "[::1]:1", "127.3.4.5:1", "unix:/run/x"} {
		f := reachFlags{hosts: []string{"Files.LAN.", "*.test", "*", "192.0.2.9", "localhost"}}
		s := f.subject(addr)
		ips := []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1"), netip.MustParseAddr("192.0.2.9")}
		if !slices.Equal(s.Names, []string{"localhost", "files.lan", "*.test"}) || !slices.Equal(s.Addresses, ips) {
			t.Errorf("%s: %+v", addr, s)
		}
	}
	own, err := interfaces.Addresses()
	if err != nil {
		t.Fatal(err)
	}
	for _, addr := range []string{":8080", "0.0.0.0:1", "192.0.2.1:80", "example.com:80"} {
		s := (&reachFlags{}).subject(addr)
		for _, ip := range own {
			if !slices.Contains(s.Addresses, ip) {
				t.Errorf("%s: %v is missing in %v", addr, ip, s.Addresses)
			}
		}
		if host := interfaces.Hostname(); host != "" && !slices.Contains(s.Names, host) {
			t.Errorf("%s: %s is missing in %v", addr, host, s.Names)
		}
	}
}

func TestURLs(t *testing.T) {
	own, err := interfaces.Addresses()
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := selfsigned.Open(t.TempDir(), selfsigned.Subject{Names: []string{"one.example", "*.two.example"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := func(ip string, port int) *net.TCPAddr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: port} }
	for _, c := range []struct {
		f      reachFlags
		scheme string
		at     *net.TCPAddr
		want   string
	}{
		{reachFlags{}, "http", at("127.0.0.1", 8080), ""},
		{reachFlags{hosts: []string{"a.lan"}}, "http", at("::1", 8080), ""},
		{reachFlags{}, "http", at("198.51.100.9", 8080), "http://198.51.100.9:8080/"},
		{reachFlags{}, "http", at("198.51.100.9", 80), "http://198.51.100.9/"},
		{reachFlags{}, "http", at("2001:db8::9", 443), "http://[2001:db8::9]:443/"},
		{reachFlags{}, "https", at("2001:db8::9", 443), "https://[2001:db8::9]/"},
		{reachFlags{hosts: []string{"*.x", "B.lan", "192.0.2.3"}}, "http", at("198.51.100.9", 1), "http://b.lan:1/ http://192.0.2.3:1/"},
		{reachFlags{hosts: []string{"*", "b.lan"}}, "http", at("198.51.100.9", 1), "http://b.lan:1/ http://198.51.100.9:1/"},
		{reachFlags{tlsCert: certificate.File()}, "https", at("198.51.100.9", 1), "https://one.example:1/ https://198.51.100.9:1/"},
		{reachFlags{tlsCert: certificate.File(), hosts: []string{"b"}}, "https", at("198.51.100.9", 1), "https://b:1/ https://one.example:1/"},
		{reachFlags{selfSigned: certificate, hosts: []string{"b"}}, "https", at("198.51.100.9", 1), "https://b:1/ https://198.51.100.9:1/"},
	} {
		if got := strings.Join(c.f.urls(t.Context(), c.scheme, c.at), " "); got != c.want {
			t.Errorf("%+v at %v: %s, want %s", c.f, c.at, got, c.want)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for ip, four := range map[string]bool{"::": false, "0.0.0.0": true} {
		all := at(ip, 80)
		if four {
			all.IP = all.IP.To4() // as of a socket of IPv4
		}
		got := (&reachFlags{}).urls(cancelled, "http", all)
		for _, a := range own {
			if listed := slices.Contains(got, "http://"+urlHost(a.String(), 80, "http")+"/"); listed != (a.Is4() || !four) {
				t.Errorf("at %s: %v in %v is %v", ip, a, got, listed)
			}
		}
	}
}

// TestAnnounce: on a pipe there is one line, and what a self-signed certificate is recognized by.
func TestAnnounce(t *testing.T) {
	outer, inner := &net.TCPAddr{IP: net.ParseIP("198.51.100.9"), Port: 8080}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}
	announce := func(f *serveFlags, at net.Addr) string {
		var out bytes.Buffer
		f.announce(t.Context(), &out, at, "x")
		return out.String()
	}
	path, err := filepath.Abs("x")
	if err != nil {
		t.Fatal(err)
	}
	line := "serving " + path + " at http://198.51.100.9:8080/\n"
	if got := announce(&serveFlags{reach: reachFlags{qr: "auto"}}, outer); got != line {
		t.Errorf("on a pipe: %q", got)
	}
	got := announce(&serveFlags{reach: reachFlags{qr: "always"}}, outer)
	if !strings.HasPrefix(got, line+"  for others: http://198.51.100.9:8080/\n\x1b[38;5;16;48;5;231m ") || strings.Count(got, "\n") != 2+17 {
		t.Errorf("with a code: %q", got)
	}
	if got := announce(&serveFlags{reach: reachFlags{qr: "always"}}, inner); strings.Contains(got, "\x1b") || !strings.Contains(got, "note: no QR code") {
		t.Errorf("on loopback: %q", got)
	}
	var out bytes.Buffer
	for columns, lines := range map[int]int{0: 17, 33: 17, 32: 1} {
		out.Reset()
		(&reachFlags{qr: "always"}).showQR(&out, []string{"http://198.51.100.9:8080/"}, columns)
		if n := strings.Count(out.String(), "\n"); n != lines {
			t.Errorf("%d columns: %d lines", columns, n)
		}
	}
	out.Reset()
	(&reachFlags{qr: "never"}).showQR(&out, []string{"http://a/"}, 80)
	(&reachFlags{qr: "auto"}).showQR(&out, []string{"http://a/"}, 8)
	(&reachFlags{qr: "auto"}).showQR(&out, []string{"http://" + strings.Repeat("a", 4000) + "/"}, 0)
	if out.Len() > 0 {
		t.Errorf("a code that is not wanted: %q", out.String())
	}
	auth := []string{"a:b"}
	if got := announce(&serveFlags{auth: auth, reach: reachFlags{qr: "auto"}}, outer); !strings.Contains(got, "in the clear") {
		t.Errorf("passwords: %q", got)
	}
	certificate, err := selfsigned.New(selfsigned.Subject{Names: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	got = announce(&serveFlags{auth: auth, reach: reachFlags{qr: "auto", tls: "self-signed", selfSigned: certificate}}, outer)
	leaf := certificate.Current().Leaf
	for _, want := range []string{"at https://198.51.100.9:8080/\n", "\n  " + selfsigned.Fingerprint(leaf) + "\n", "--pinnedpubkey " + selfsigned.Pin(leaf)} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	if strings.Contains(got, "in the clear") || strings.Contains(got, "--cacert") {
		t.Errorf("with TLS: %q", got)
	}
}

func TestStateFolder(t *testing.T) {
	t.Setenv("HOME", "/home/a")
	for _, c := range []struct{ unit, xdg, want string }{
		{"", "", "/home/a/.local/state/thresh"}, {"", "/s", "/s/thresh"}, {"", "relative", "/home/a/.local/state/thresh"},
		{"/var/lib/x:/var/lib/y", "/s", "/var/lib/x"},
	} {
		t.Setenv("STATE_DIRECTORY", c.unit)
		t.Setenv("XDG_STATE_HOME", c.xdg)
		if got, err := stateFolder(); err != nil || got != c.want {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
	if os.Unsetenv("HOME") == nil {
		t.Setenv("STATE_DIRECTORY", "")
		t.Setenv("XDG_STATE_HOME", "")
		if got, err := stateFolder(); err == nil {
			t.Errorf("without a home: %s", got)
		}
	}
}
