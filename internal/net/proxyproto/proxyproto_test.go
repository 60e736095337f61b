package proxyproto

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

// binary2 returns a header of version 2 from the bytes behind the signature.
func binary2(parts ...string) string { return signature2 + strings.Join(parts, "") }

const (
	loopbacks6 = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01" +
		"\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02"
	ports = "\xdc\x04\x01\xbb" // 56324 and 443
)

func unixPath(path string) string { return path + strings.Repeat("\x00", unixPathBytes-len(path)) }

// These follow the text of the specification: its example, its longest lines, and its tables.
var headers = []struct {
	name, text       string
	from, to         string // empty: unknown
	local, canonical bool   // canonical: as Append writes it
}{
	{"the example", "PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\n", "192.168.0.1:56324", "192.168.0.11:443", false, true},
	{"the longest line of IPv4", "PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n",
		"255.255.255.255:65535", "255.255.255.255:65535", false, true},
	{"the longest line of IPv6", "PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
		"[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535", "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535", false, true},
	{"upper case, zeroes cut", "PROXY TCP6 2001:DB8::1 ::1 1 0\r\n", "[2001:db8::1]:1", "[::1]:0", false, false},
	{"unknown, short", "PROXY UNKNOWN\r\n", "", "", false, true},
	{"unknown, the worst case",
		"PROXY UNKNOWN ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n", "", "", false, false},
	{"unknown, anything", "PROXY UNKNOWN \x00\xff\r\r\n", "", "", false, false},
	{"TCP over IPv4", binary2("\x21\x11\x00\x0c", "\xc0\xa8\x00\x01\xc0\xa8\x00\x0b", ports),
		"192.168.0.1:56324", "192.168.0.11:443", false, true},
	{"TCP over IPv6", binary2("\x21\x21\x00\x24", loopbacks6, ports), "[::1]:56324", "[2001:db8::2]:443", false, true},
	{"unix stream", binary2("\x21\x31\x00\xd8", unixPath("/run/a"), unixPath("\x00b")), "/run/a", "@b", false, true},
	{"unix without names", binary2("\x21\x31\x00\xd8", unixPath(""), unixPath("")), "", "", false, true},
	{"LOCAL", binary2("\x20\x00\x00\x00"), "", "", true, true},
	{"LOCAL with addresses and a family to ignore", binary2("\x20\xff\x00\x04", "\x01\x02\x03\x04"), "", "", true, false},
	{"PROXY without addresses", binary2("\x21\x00\x00\x00"), "", "", false, false},
	{"UDP over IPv4", binary2("\x21\x12\x00\x0c", "\xc0\xa8\x00\x01\xc0\xa8\x00\x0b", ports), "", "", false, false},
	{"type-length-values", binary2("\x21\x11\x00\x17", "\xc0\xa8\x00\x01\xc0\xa8\x00\x0b", ports, "\x04\x00\x01x", "\xe0\x00\x04abcd"),
		"192.168.0.1:56324", "192.168.0.11:443", false, false},
	{"as long as allowed", binary2("\x21\x11\x0f\xf0", "\xc0\xa8\x00\x01\xc0\xa8\x00\x0b", ports, strings.Repeat("x", 0xff0-12)),
		"192.168.0.1:56324", "192.168.0.11:443", false, false},
}

func TestParse(t *testing.T) {
	for _, c := range headers {
		for n := range len(c.text) {
			if h, used, err := Parse([]byte(c.text[:n])); used != 0 || err != nil {
				t.Fatalf("%s: %d of %d bytes: %+v, %d, %v", c.name, n, len(c.text), h, used, err)
			}
		}
		h, n, err := Parse([]byte(c.text + "GET / HTTP/1.1\r\n"))
		if err != nil || n != len(c.text) || h.Local != c.local || text(h.Source) != c.from || text(h.Destination) != c.to {
			t.Errorf("%s: %v to %v, local %v, %d of %d bytes, %v", c.name, h.Source, h.Destination, h.Local, n, len(c.text), err)
		}
		if version := 1 + strings.Count(c.text, "QUIT"); c.canonical {
			if c.from == "" && strings.HasPrefix(c.name, "unix") {
				h.Source, h.Destination = &net.UnixAddr{Name: "@"}, &net.UnixAddr{} // as package net names it
			}
			if got := string(h.Append([]byte("-"), version)); got != "-"+c.text {
				t.Errorf("%s: written as %q", c.name, got)
			}
		}
	}
}

func text(a net.Addr) string {
	if a == nil {
		return ""
	}
	return a.String()
}

// Each of these is wrong, and its first n bytes are enough to know.
var malformed = []struct {
	text string
	n    int
}{
	{"GET / HTTP/1.1\r\n", 1},
	{"\x16\x03\x01", 1},
	{"\r\n\r\n\x00\r\nQUIX\n", 11},
	{"PROXX TCP4", 5},
	{"proxy TCP4", 1},
	{"PROXY\tTCP4", 6},
	{"PROXY TCP4 1.2.3.4 1.2.3.4 1 2\n", 31},
	{"PROXY TCP4 1.2.3.4 1.2.3.4 1 22\n", 32},
	{"PROXY TCP4 1.2.3.4 1.2.3.4 1 2\r \r\n", 34},
	{"PROXY UNKNOWNS\r\n", 16},
	{"PROXY UNKNOWN" + strings.Repeat(" ", 93) + "\r\n", 107},
	{"PROXY TCP5 1.2.3.4 1.2.3.4 1 2\r\n", 32},
	{"PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n", 30},
	{"PROXY TCP4 1.2.3.4 1.2.3.4 1 2 3\r\n", 34},
	{"PROXY TCP4  1.2.3.4 1.2.3.4 1 2\r\n", 33},
	{"PROXY TCP4 1.2.3.4 1.2.3.4 1 2 \r\n", 33},
	{"PROXY TCP4 01.2.3.4 1.2.3.4 1 2\r\n", 33},
	{"PROXY TCP4 1.2.3 1.2.3.4 1 2\r\n", 30},
	{"PROXY TCP4 1.2.3.4 1.2.3.256 1 2\r\n", 34},
	{"PROXY TCP4 ::1 ::1 1 2\r\n", 24},
	{"PROXY TCP6 1.2.3.4 1.2.3.4 1 2\r\n", 32},
	{"PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n", 33},
	{"PROXY TCP4 1.2.3.4 1.2.3.4 01 2\r\n", 33},
	{"PROXY TCP4 1.2.3.4 1.2.3.4 1 65536\r\n", 36},
	{"PROXY TCP4 1.2.3.4 1.2.3.4 1 +2\r\n", 33},
	{binary2("\x11\x11\x00\x0c"), 16},
	{binary2("\x22\x11\x00\x0c"), 16},
	{binary2("\x21\x41\x00\x0c"), 16},
	{binary2("\x21\x13\x00\x0c"), 16},
	{binary2("\x21\x11\x0f\xf1"), 16},
	{binary2("\x20\x00\xff\xff"), 16},
	{binary2("\x21\x11\x00\x0b", "12345678901"), 27},
	{binary2("\x21\x21\x00\x0c", "123456789012"), 28},
	{binary2("\x21\x31\x00\xd7", strings.Repeat("x", 215)), 231},
}

func TestMalformed(t *testing.T) {
	for _, c := range malformed {
		for n := range len(c.text) + 1 {
			h, used, err := Parse([]byte(c.text[:n]))
			if used != 0 || (err != nil) != (n >= c.n) {
				t.Errorf("%d bytes of %q: %+v, %d, %v; wrong from %d bytes on", n, c.text, h, used, err, c.n)
				break
			}
		}
		if _, rest, err := Read(strings.NewReader(c.text), make([]byte, HeaderBytesMax)); err == nil || rest != nil {
			t.Errorf("%q: read, and %q behind it", c.text, rest)
		}
	}
}

func TestRead(t *testing.T) {
	for _, c := range headers {
		for _, rest := range []string{"", "x", strings.Repeat("y", 3*HeaderBytesMax)} {
			for name, wrap := range map[string]func(io.Reader) io.Reader{
				"at once": func(r io.Reader) io.Reader { return r }, "by bytes": iotest.OneByteReader, "with EOF": iotest.DataErrReader,
			} {
				all := c.text + rest
				r := wrap(strings.NewReader(all))
				h, behind, err := Read(r, make([]byte, HeaderBytesMax))
				if err != nil || text(h.Source) != c.from {
					t.Fatalf("%s, %s: %+v, %v", c.name, name, h, err)
				}
				if more, err := io.ReadAll(r); err != nil || string(behind)+string(more) != rest {
					t.Errorf("%s, %s: %d and %d bytes behind it, of %d, %v", c.name, name, len(behind), len(more), len(rest), err)
				}
			}
		}
	}
	buf := make([]byte, HeaderBytesMax)
	for _, c := range []struct {
		r    io.Reader
		want error
	}{
		{strings.NewReader(""), io.EOF},
		{strings.NewReader("PROXY TCP4"), io.ErrUnexpectedEOF},
		{iotest.ErrReader(os.ErrDeadlineExceeded), os.ErrDeadlineExceeded},
		{io.MultiReader(strings.NewReader("\r\n"), iotest.ErrReader(os.ErrDeadlineExceeded)), os.ErrDeadlineExceeded},
	} {
		if _, _, err := Read(c.r, buf); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
	if _, _, err := Read(strings.NewReader(headers[0].text), buf[:20]); !errors.Is(err, io.ErrShortBuffer) {
		t.Errorf("a short buffer: %v", err)
	}
}

// What a header cannot say is said to be unknown.
func TestAppend(t *testing.T) {
	tcp := func(a string) net.Addr {
		at, err := net.ResolveTCPAddr("tcp", a)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	unix := &net.UnixAddr{Name: "/a", Net: "unix"}
	for _, c := range []struct {
		h          Header
		one, twice string // versions 1 and 2
	}{
		{Header{}, "PROXY UNKNOWN\r\n", binary2("\x20\x00\x00\x00")},
		{Header{Local: true, Source: tcp("1.2.3.4:5"), Destination: tcp("1.2.3.4:5")}, "PROXY UNKNOWN\r\n", binary2("\x20\x00\x00\x00")},
		{Header{Source: unix, Destination: unix}, "PROXY UNKNOWN\r\n", binary2("\x21\x31\x00\xd8", unixPath("/a"), unixPath("/a"))},
		{Header{Source: unix, Destination: tcp("1.2.3.4:5")}, "PROXY UNKNOWN\r\n", binary2("\x20\x00\x00\x00")},
		{Header{Source: &net.TCPAddr{}, Destination: tcp("1.2.3.4:5")}, "PROXY UNKNOWN\r\n", binary2("\x20\x00\x00\x00")},
		{Header{Source: &net.TCPAddr{IP: net.ParseIP("192.168.0.1"), Port: 56324}, Destination: tcp("192.168.0.11:443")},
			headers[0].text, binary2("\x21\x11\x00\x0c", "\xc0\xa8\x00\x01\xc0\xa8\x00\x0b", ports)},
		{Header{Source: tcp("1.2.3.4:5"), Destination: tcp("[::1]:6")}, "PROXY TCP6 ::ffff:1.2.3.4 ::1 5 6\r\n",
			binary2("\x21\x21\x00\x24", strings.Repeat("\x00", 10)+"\xff\xff\x01\x02\x03\x04", strings.Repeat("\x00", 15)+"\x01", "\x00\x05\x00\x06")},
		{Header{Source: &net.TCPAddr{IP: net.ParseIP("fe80::1"), Zone: "eth0", Port: 1}, Destination: tcp("[::1]:6")},
			"PROXY TCP6 fe80::1 ::1 1 6\r\n", ""},
	} {
		if got := string(c.h.Append(nil, 1)); got != c.one {
			t.Errorf("%+v: version 1 is %q", c.h, got)
		}
		if got := string(c.h.Append(nil, 2)); got != c.twice && c.twice != "" {
			t.Errorf("%+v: version 2 is %q", c.h, got)
		}
	}
}

// FuzzParse: what is parsed is read alike in one piece and in many, however the bytes come, and what is
// written from it says the same.
func FuzzParse(f *testing.F) {
	for _, c := range headers {
		f.Add([]byte(c.text))
	}
	for _, c := range malformed {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, n, err := Parse(b)
		if n < 0 || n > min(len(b), HeaderBytesMax) || err != nil && n != 0 {
			t.Fatalf("%d of %d bytes, %v", n, len(b), err)
		}
		if (h.Source == nil) != (h.Destination == nil) || h.Local && h.Source != nil || n == 0 && h != (Header{}) {
			t.Fatalf("%+v of %d bytes", h, n)
		}
		again, rest, rerr := Read(iotest.OneByteReader(bytes.NewReader(b)), make([]byte, HeaderBytesMax))
		if (rerr == nil) != (n > 0) || fmt.Sprint(again) != fmt.Sprint(h) || len(rest) > 0 {
			t.Fatalf("by bytes %+v, %v; at once %+v, %v", again, rerr, h, err)
		}
		if n == 0 {
			return
		}
		for version := 1; version <= 2; version++ {
			written := h.Append(nil, version)
			other, m, err := Parse(written)
			_, isUnix := h.Source.(*net.UnixAddr)
			// In package net, a path that begins with @ is that of an abstract socket, whatever it was.
			at := isUnix && (b[fixed2Bytes] == '@' || b[fixed2Bytes+unixPathBytes] == '@')
			lost := version == 1 && (h.Local || isUnix) || version == 2 && h.Source == nil || at
			if err != nil || m != len(written) || !lost && !sameEnds(other, h) {
				t.Fatalf("%+v is written as %q: %+v, %v", h, written, other, err)
			}
		}
	})
}

// sameEnds compares addresses; those of IPv4 may be written as ones of IPv6.
func sameEnds(a, b Header) bool {
	from, to, ok := a.ips()
	from2, to2, ok2 := b.ips()
	if ok || ok2 {
		return ok == ok2 && from == from2 && to == to2
	}
	return a.Local == b.Local && text(a.Source) == text(b.Source) && text(a.Destination) == text(b.Destination)
}
