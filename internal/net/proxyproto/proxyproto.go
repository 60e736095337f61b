// Package proxyproto reads and writes the header of the PROXY protocol, versions 1 and 2, with which a
// proxy that passes on bytes says whose connection it is. The protocol is defined in HAProxy's
// doc/proxy-protocol.txt.
package proxyproto

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

const (
	// HeaderBytesMax is the length of the longest header that Parse accepts. The addresses take 232
	// bytes at most; the rest are type-length-values, which Parse skips.
	HeaderBytesMax = 4 << 10

	line1BytesMax = 107 // of version 1, with its CR LF
	fixed2Bytes   = 16  // of version 2, before the addresses
	ip4Bytes      = 2*4 + 2*2
	ip6Bytes      = 2*16 + 2*2
	unixPathBytes = 108
	shownBytes    = 24 // of what is not a header, in an error
)

const (
	line1Start = "PROXY "
	signature2 = "\r\n\r\n\x00\r\nQUIT\n"
)

// The commands and the families of version 2. The lower half of a family's byte is 1 for streams.
const (
	commandLocal = 0x20
	commandProxy = 0x21
	familyNone   = 0x00
	familyTCP4   = 0x11
	familyTCP6   = 0x21
	familyUnix   = 0x31
)

// Header is what a proxy says about a connection.
type Header struct {
	// Local connections are the proxy's own, such as health checks.
	Local bool
	// Source and Destination are the ends of the client's connection to the proxy: both
	// *net.TCPAddr, both *net.UnixAddr, or both nil if the proxy does not know them or Local is set.
	// Then the addresses of the connection itself apply.
	Source, Destination net.Addr
}

// Parse parses the header at the beginning of b and returns its length, or 0 if b is too short to
// tell. An error means that b does not begin with a header, or with one that is malformed.
func Parse(b []byte) (h Header, n int, err error) {
	switch {
	case hasStart(b, signature2):
		return parse2(b)
	case hasStart(b, line1Start):
		return parse1(b)
	}
	return Header{}, 0, fmt.Errorf("no PROXY header: it begins with %q", b[:min(len(b), shownBytes)])
}

// hasStart reports whether b begins with start, or may when it is longer.
func hasStart(b []byte, start string) bool {
	return string(b[:min(len(b), len(start))]) == start[:min(len(b), len(start))]
}

// parse1 parses a line like "PROXY TCP4 192.0.2.1 192.0.2.2 56324 443\r\n".
func parse1(b []byte) (h Header, n int, err error) {
	b = b[:min(len(b), line1BytesMax)]
	end := bytes.IndexByte(b, '\n')
	switch {
	case end < 0 && len(b) < line1BytesMax:
		return h, 0, nil
	case end < 0 || b[end-1] != '\r':
		return h, 0, fmt.Errorf("malformed PROXY header: %q: it does not end with CR LF within %d bytes",
			b[:min(len(b), shownBytes)], line1BytesMax)
	}
	line := string(b[:end-1])
	if rest, ok := strings.CutPrefix(line, line1Start+"UNKNOWN"); ok && (rest == "" || rest[0] == ' ') {
		return h, end + 1, nil
	}
	words := strings.Split(line, " ")
	if len(words) != 6 || words[1] != "TCP4" && words[1] != "TCP6" {
		return h, 0, fmt.Errorf("malformed PROXY header: %q", line)
	}
	source, ok := parseAddr(words[2], words[4], words[1] == "TCP4")
	destination, ok2 := parseAddr(words[3], words[5], words[1] == "TCP4")
	if !ok || !ok2 {
		return h, 0, fmt.Errorf("malformed PROXY header: %q: wrong address or port", line)
	}
	return Header{Source: source, Destination: destination}, end + 1, nil
}

func parseAddr(addr, port string, is4 bool) (*net.TCPAddr, bool) {
	ip, err := netip.ParseAddr(addr)
	n, err2 := strconv.ParseUint(port, 10, 16)
	if err != nil || err2 != nil || ip.Is4() != is4 || ip.Zone() != "" || strconv.FormatUint(n, 10) != port {
		return nil, false
	}
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(ip, uint16(n))), true
}

// parse2 parses the binary header: signature, command, family, length, addresses, type-length-values.
func parse2(b []byte) (h Header, n int, err error) {
	if len(b) < fixed2Bytes {
		return h, 0, nil
	}
	command, family := b[12], b[13]
	n = fixed2Bytes + int(binary.BigEndian.Uint16(b[14:]))
	switch {
	case command != commandLocal && command != commandProxy:
		return h, 0, fmt.Errorf("malformed PROXY header: version and command %#02x", command)
	case command == commandProxy && (family>>4 > familyUnix>>4 || family&15 > 2):
		return h, 0, fmt.Errorf("malformed PROXY header: address family and protocol %#02x", family)
	case n > HeaderBytesMax:
		return h, 0, fmt.Errorf("PROXY header of %d bytes: at most %d are accepted", n, HeaderBytesMax)
	case len(b) < n:
		return h, 0, nil
	case command == commandLocal:
		return Header{Local: true}, n, nil
	}
	a := b[fixed2Bytes:n]
	long := func(bytes int) bool { return len(a) >= bytes }
	switch {
	case family == familyTCP4 && long(ip4Bytes):
		h.Source, h.Destination = tcpAddr(a[:4], a[8:10]), tcpAddr(a[4:8], a[10:12])
	case family == familyTCP6 && long(ip6Bytes):
		h.Source, h.Destination = tcpAddr(a[:16], a[32:34]), tcpAddr(a[16:32], a[34:36])
	case family == familyUnix && long(2*unixPathBytes):
		h.Source, h.Destination = unixAddr(a[:unixPathBytes]), unixAddr(a[unixPathBytes:2*unixPathBytes])
	case family == familyTCP4 || family == familyTCP6 || family == familyUnix:
		return h, 0, fmt.Errorf("malformed PROXY header: %d bytes are too few for addresses of family %#02x",
			len(a), family)
	}
	return h, n, nil // datagrams and unknown families have no addresses that matter
}

func tcpAddr(ip, port []byte) *net.TCPAddr {
	return &net.TCPAddr{IP: bytes.Clone(ip), Port: int(binary.BigEndian.Uint16(port))}
}

// unixAddr returns the address of a path that ends with a zero byte. One that begins with it is
// abstract; package net writes it with an @.
func unixAddr(path []byte) *net.UnixAddr {
	abstract := ""
	if path[0] == 0 && path[1] != 0 {
		abstract, path = "@", path[1:]
	}
	path, _, _ = bytes.Cut(path, []byte{0})
	return &net.UnixAddr{Name: abstract + string(path), Net: "unix"}
}

// Read reads a header from r into buf, which has HeaderBytesMax bytes or more, and returns what was
// read behind it, a part of buf. The error is io.EOF if r ended without a byte.
func Read(r io.Reader, buf []byte) (h Header, rest []byte, err error) {
	filled := 0
	for {
		n, rerr := r.Read(buf[filled:])
		filled += n
		h, used, err := Parse(buf[:filled])
		switch {
		case err != nil:
			return h, nil, err
		case used > 0:
			return h, buf[used:filled], nil
		case filled == len(buf):
			return h, nil, io.ErrShortBuffer // unless buf is too short, Parse has found an end
		case rerr == io.EOF && filled > 0:
			rerr = io.ErrUnexpectedEOF
		}
		if rerr != nil {
			return h, nil, rerr
		}
	}
}
