package proxyproto

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// Append appends a header of version 1 or 2 to b. Version 1 has neither LOCAL nor unix sockets, and
// says UNKNOWN instead.
func (h Header) Append(b []byte, version int) []byte {
	source, destination, isIP := h.ips()
	switch {
	case version == 1 && isIP:
		family := "TCP6"
		if source.Addr().Is4() {
			family = "TCP4"
		}
		return fmt.Appendf(b, "%s%s %s %s %d %d\r\n", line1Start, family,
			source.Addr(), destination.Addr(), source.Port(), destination.Port())
	case version == 1:
		return append(b, line1Start+"UNKNOWN\r\n"...)
	}
	b = append(b, signature2...)
	from, isUnix := h.Source.(*net.UnixAddr)
	to, isUnix2 := h.Destination.(*net.UnixAddr)
	switch {
	case h.Local:
	case isIP:
		family := byte(familyTCP6)
		if source.Addr().Is4() {
			family = familyTCP4
		}
		b = append(b, commandProxy, family)
		b = binary.BigEndian.AppendUint16(b, uint16(2*len(source.Addr().AsSlice())+2*2))
		b = append(b, source.Addr().AsSlice()...)
		b = append(b, destination.Addr().AsSlice()...)
		b = binary.BigEndian.AppendUint16(b, source.Port())
		return binary.BigEndian.AppendUint16(b, destination.Port())
	case isUnix && isUnix2:
		b = append(b, commandProxy, familyUnix)
		b = binary.BigEndian.AppendUint16(b, 2*unixPathBytes)
		return appendPath(appendPath(b, from), to)
	}
	return append(b, commandLocal, familyNone, 0, 0)
}

// ips returns both addresses if they are of TCP. If only one is of IPv4, both become IPv6: a header
// has one family.
func (h Header) ips() (source, destination netip.AddrPort, ok bool) {
	from, ok := h.Source.(*net.TCPAddr)
	to, ok2 := h.Destination.(*net.TCPAddr)
	if !ok || !ok2 || h.Local {
		return source, destination, false
	}
	source, destination = plain(from.AddrPort()), plain(to.AddrPort())
	if !source.IsValid() || !destination.IsValid() {
		return source, destination, false
	}
	if source.Addr().Is4() != destination.Addr().Is4() {
		source, destination = as6(source), as6(destination)
	}
	return source, destination, true
}

func plain(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}

func as6(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom16(a.Addr().As16()), a.Port())
}

// appendPath appends the path of a unix socket, cut to the room that the header has for it.
func appendPath(b []byte, a *net.UnixAddr) []byte {
	name := a.Name
	if rest, ok := strings.CutPrefix(name, "@"); ok && rest != "" {
		name = "\x00" + rest // abstract
	}
	var path [unixPathBytes]byte
	if name != "@" { // a socket without a name
		copy(path[:], name)
	}
	return append(b, path[:]...)
}
