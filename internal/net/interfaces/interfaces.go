// Package interfaces finds the addresses and names by which other machines reach this one.
package interfaces

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
)

// address is an address of this machine, with what its rank depends on.
type address struct {
	netip.Addr
	preferred bool // connections to the rest of the world come from it
	inner     bool // of a bridge to containers or virtual machines
}

// innerPrefixes begin the names of interfaces to containers and virtual machines.
var innerPrefixes = [...]string{
	"br-", "cni", "docker", "flannel", "lxc", "lxd", "podman", "vboxnet", "veth", "virbr", "vmnet",
}

// Addresses returns the addresses of this machine that others may reach, best first: of interfaces
// that are up, without loopback and link-local ones. The best is the one from which connections to
// other networks come, and IPv4 before IPv6: it is shorter, and phones in the same network have it.
func Addresses() ([]netip.Addr, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	// These addresses are for documentation. Connecting a UDP socket sends nothing.
	outer := []netip.Addr{sourceFor("udp4", "192.0.2.1:9"), sourceFor("udp6", "[2001:db8::1]:9")}
	var found []address
	for _, i := range all {
		if i.Flags&net.FlagUp == 0 || i.Flags&net.FlagLoopback != 0 {
			continue
		}
		prefixes, err := i.Addrs()
		if err != nil {
			return nil, err
		}
		inner := slices.ContainsFunc(innerPrefixes[:], func(p string) bool { return strings.HasPrefix(i.Name, p) })
		for _, p := range prefixes {
			prefix, err := netip.ParsePrefix(p.String())
			if err != nil {
				continue // not an IP address
			}
			a := prefix.Addr().Unmap()
			found = append(found, address{a, slices.Contains(outer, a), inner})
		}
	}
	return ranked(found), nil
}

// sourceFor returns the address of this machine that connections to another one come from. It is the
// zero Addr if there is no route.
func sourceFor(network, to string) netip.Addr {
	conn, err := net.Dial(network, to)
	if err != nil {
		return netip.Addr{}
	}
	defer conn.Close()
	from, ok := conn.LocalAddr().(*net.UDPAddr)
	if !ok {
		return netip.Addr{}
	}
	return from.AddrPort().Addr().Unmap()
}

// ranked returns the addresses that others may reach, best first, each once.
func ranked(found []address) (all []netip.Addr) {
	rank := func(a address) (r int) {
		if !a.preferred {
			r += 2
		}
		if a.inner {
			r += 4
		}
		if !a.Is4() {
			r++
		}
		return r
	}
	slices.SortStableFunc(found, func(a, b address) int { return cmp.Compare(rank(a), rank(b)) })
	for _, a := range found {
		if a.IsGlobalUnicast() && !slices.Contains(all, a.Addr) {
			all = append(all, a.Addr)
		}
	}
	return all
}

// Names returns the names of this machine that resolve to one of the addresses, as far as ctx gives
// time: the host name, and the same below .local, where multicast DNS announces it.
func Names(ctx context.Context, addresses []netip.Addr) []string {
	host := Hostname()
	if host == "" {
		return nil
	}
	candidates := []string{host}
	if first, _, dotted := strings.Cut(host, "."); !dotted || !strings.HasSuffix(host, ".local") {
		candidates = append(candidates, first+".local")
	}
	resolves := make([]bool, len(candidates))
	var all sync.WaitGroup
	for i, name := range candidates {
		all.Go(func() {
			// An error means that the name is no use to others.
			ips, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", name)
			resolves[i] = slices.ContainsFunc(ips, func(ip netip.Addr) bool { return slices.Contains(addresses, ip.Unmap()) })
		})
	}
	all.Wait()
	var names []string
	for i, name := range candidates {
		if resolves[i] {
			names = append(names, name)
		}
	}
	return names
}

// Hostname returns the name of this machine in lower case, or "" if it has none that DNS allows.
func Hostname() string {
	name, err := os.Hostname()
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if err != nil || len(name) > 253 || strings.ContainsFunc(name, func(c rune) bool {
		return c != '-' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z')
	}) {
		return ""
	}
	return name
}
