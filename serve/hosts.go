package serve

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// DNS rebinding: the author of a web page lets its name resolve to 127.0.0.1, and the browser then
// takes a server of this machine for the server of the page, which may read everything. What gives
// it away is the header Host, which has the page's name. So a server on a loopback address answers
// only for names that resolve to loopback addresses everywhere, and for those that it was told. With
// TLS the names in the certificate do, too: for any other name the browser refuses the connection.

// hosts are the hosts that requests may name.
type hosts struct {
	any         bool
	names       map[string]bool
	addresses   map[netip.Addr]bool
	suffixes    []string                // of *.example.com, ".example.com"
	certificate func() *tls.Certificate // nil: no TLS
}

// newHosts checks the names of Options.Hosts.
func newHosts(names []string, certificate func() *tls.Certificate) (*hosts, error) {
	h := &hosts{names: map[string]bool{}, addresses: map[netip.Addr]bool{}, certificate: certificate}
	for _, given := range names {
		name := strings.TrimSuffix(strings.ToLower(given), ".")
		suffix, below := strings.CutPrefix(name, "*.")
		ip, err := netip.ParseAddr(name)
		switch {
		case given == "*":
			h.any = true
		case err == nil:
			h.addresses[ip.Unmap()] = true
		case suffix == "" || !containsOnly(&hostBytes, suffix) || strings.ContainsAny(suffix, "[]:"):
			return nil, optionError("Hosts", given, "a host is a name without a port, like files.example.com "+
				"(other scripts as xn--...), an address, *.example.com for all names below, or * for any")
		case below:
			h.suffixes = append(h.suffixes, "."+suffix)
		default:
			h.names[name] = true
		}
	}
	return h, nil
}

// hostBytesMax is how much of a name is repeated to the client: DNS has no longer ones.
const hostBytesMax = 253

// answers reports whether requests for the host are answered. HTTP/1.0 has requests without one;
// browsers send none, but a redirect needs it.
func (s *Server) answers(b *binding, host string) bool {
	switch {
	case b.redirectTo != "" && (host == "" || !containsOnly(&hostBytes, host)):
		return false
	case !b.checkHost || host == "":
		return true
	}
	return s.hosts.include(host)
}

// include reports whether requests may name the host, which has a port or not.
func (h *hosts) include(host string) bool {
	name := hostName(host)
	if h.any || h.names[name] || name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	for _, s := range h.suffixes {
		if strings.HasSuffix(name, s) && len(name) > len(s) {
			return true
		}
	}
	if name != "" && (name[0] <= '9' || strings.IndexByte(name, ':') >= 0) {
		if ip, err := netip.ParseAddr(name); err == nil && (ip.IsLoopback() || h.addresses[ip.Unmap()]) {
			return true
		}
	}
	if h.certificate == nil {
		return false
	}
	pair := h.certificate()
	return pair != nil && pair.Leaf != nil && pair.Leaf.VerifyHostname(name) == nil
}

// hostName returns the name or address in a header Host: without port, brackets and the dot that
// ends a complete name, in lower case.
func hostName(host string) string {
	if i := strings.LastIndexByte(host, ':'); i >= 0 && strings.IndexByte(host[i:], ']') < 0 {
		host = host[:i]
	}
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = host[1 : len(host)-1]
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// isLoopback reports whether only programs on this machine reach the address.
func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// refuseHost responds to a request for an unknown host.
func (s *Server) refuseHost(w http.ResponseWriter, r *http.Request) {
	s.stats.hostsRefused.Inc()
	name := hostName(r.Host)
	text := fmt.Sprintf("421 Misdirected Request: this server does not answer for the host %+q.\n"+
		"Against DNS rebinding, hosts other than localhost must be named when the server starts.",
		name[:min(len(name), hostBytesMax)])
	http.Error(w, text, http.StatusMisdirectedRequest)
}
