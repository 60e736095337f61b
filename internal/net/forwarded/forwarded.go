// Package forwarded finds out whose request it is that a proxy passes on.
//
// Any client can send X-Forwarded-For. Each proxy adds the address that it saw to the end of the list,
// so the list is believed from its end, as far as trusted proxies wrote it: the client is the last
// address that is not that of a trusted proxy.
package forwarded

import (
	"fmt"
	"net/netip"
	"strings"
)

// Proxies are the addresses of trusted proxies. The zero value trusts none.
type Proxies struct {
	prefixes []netip.Prefix
	unix     bool
}

// named are the names that stand for addresses.
func named(name string) []string {
	switch name {
	case "loopback":
		return []string{"127.0.0.0/8", "::1/128"}
	case "private": // RFC 1918, RFC 4193
		return []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"}
	}
	return []string{name}
}

// Names describes what Parse accepts.
const Names = "an address, a CIDR block like 10.0.0.0/8, loopback, private, or unix"

// Parse reads the addresses of proxies: addresses, CIDR blocks, "loopback", "private", which are the
// addresses of private networks, and "unix", which are all clients of unix sockets. The error is
// about the returned name.
func Parse(names []string) (p Proxies, wrong string, err error) {
	for _, name := range names {
		if name == "unix" {
			p.unix = true
			continue
		}
		for _, text := range named(name) {
			prefix, err := parsePrefix(text)
			if err != nil {
				return Proxies{}, name, err
			}
			p.prefixes = append(p.prefixes, prefix)
		}
	}
	return p, "", nil
}

func parsePrefix(text string) (netip.Prefix, error) {
	if !strings.Contains(text, "/") {
		ip, err := netip.ParseAddr(text)
		if err != nil || ip.Zone() != "" {
			return netip.Prefix{}, fmt.Errorf("not %s", Names)
		}
		ip = ip.Unmap()
		return netip.PrefixFrom(ip, ip.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil || prefix.Addr().Is4In6() {
		return netip.Prefix{}, fmt.Errorf("not %s", Names)
	}
	if prefix != prefix.Masked() {
		return netip.Prefix{}, fmt.Errorf("the block is %s, or a single address", prefix.Masked())
	}
	return prefix, nil
}

// None reports whether no proxy is trusted.
func (p *Proxies) None() bool { return len(p.prefixes) == 0 && !p.unix }

// Trust reports whether ip is that of a trusted proxy. The zero Addr is that of a unix socket.
func (p *Proxies) Trust(ip netip.Addr) bool {
	if !ip.IsValid() {
		return p.unix
	}
	ip = ip.Unmap().WithZone("")
	for _, prefix := range p.prefixes {
		if prefix.Contains(ip) {
			return true
		}
	}
	return false
}

// Client returns the client of a request from a trusted proxy: the last address of the lists, which
// are the values of X-Forwarded-For in their order, that is not trusted, or the first address if all are.
// Its port is 0 if the proxy does not tell it. It reports false if there is no list, or if a
// trusted proxy wrote anything else than an address, such as "unknown".
func (p *Proxies) Client(lists []string) (client netip.AddrPort, ok bool) {
	for i := len(lists) - 1; i >= 0; i-- {
		for list, more := lists[i], true; more; {
			var hop string
			list, hop, more = cutLast(list)
			if client, ok = parseHop(strings.Trim(hop, " \t")); !ok {
				return netip.AddrPort{}, false
			}
			if !p.Trust(client.Addr()) {
				return client, true
			}
		}
	}
	return client, ok
}

// cutLast cuts the last element off a list. More reports whether there are others.
func cutLast(list string) (before, last string, more bool) {
	i := strings.LastIndexByte(list, ',')
	if i < 0 {
		return "", list, false
	}
	return list[:i], list[i+1:], true
}

// parseHop parses an address with or without a port: 192.0.2.1, 192.0.2.1:80, 2001:db8::1,
// [2001:db8::1] or [2001:db8::1]:80.
func parseHop(text string) (at netip.AddrPort, ok bool) {
	var err error
	inner, bracketed := strings.CutPrefix(text, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	switch {
	case bracketed && !closed, strings.Count(text, ":") == 1:
		at, err = netip.ParseAddrPort(text)
	case bracketed == closed:
		var ip netip.Addr
		ip, err = netip.ParseAddr(inner)
		if bracketed && !ip.Is6() {
			return at, false
		}
		at = netip.AddrPortFrom(ip, 0)
	default:
		return at, false
	}
	return netip.AddrPortFrom(at.Addr().Unmap().WithZone(""), at.Port()), err == nil
}
