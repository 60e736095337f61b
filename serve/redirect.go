package serve

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// ServeRedirect is Serve without TLS and without files: it redirects every request to the https URL of
// the same host, path and query, with this port. Hosts that are neither in Options.Hosts nor named by
// the certificate get status 421, also without Options.Hosts, so that the redirect leads nowhere else.
// Limits, log and metrics are those of the server. It needs a server with TLS.
func (s *Server) ServeRedirect(l net.Listener, port int) error {
	if err := s.check("l", l); err != nil {
		return err
	}
	if s.tls == nil || port <= 0 || port > 1<<16-1 {
		err := fmt.Errorf("serve: redirect to https, port %d: it needs a server with TLS and a port from 1 to 65535", port)
		return errors.Join(err, l.Close())
	}
	return s.serve(l, &binding{checkHost: !s.hosts.any, redirectTo: strconv.Itoa(port)})
}

// redirect redirects a request, whose host is known, to https. The status keeps the method. Browsers
// may not keep the redirect: the next server at this address may have another port.
func redirect(w http.ResponseWriter, r *http.Request, port string) {
	host := hostName(r.Host)
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "443" {
		host += ":" + port
	}
	target := r.URL.EscapedPath()
	if !strings.HasPrefix(target, "/") {
		target = "/" // of OPTIONS * and of a URL without a path
	}
	if r.URL.RawQuery != "" {
		target += "?" + escapeQuery(r.URL.RawQuery)
	}
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-cache")
	header.Set("Location", "https://"+host+target)
	writeStatus(w, r, http.StatusPermanentRedirect)
}

// checkHSTS checks Options.HSTS by the grammar of RFC 6797, section 6.1.
func checkHSTS(value string, useTLS bool) error {
	if value == "" {
		return nil
	}
	ages := 0
	for part := range strings.SplitSeq(value, ";") {
		name, number, isAge := strings.Cut(strings.TrimSpace(part), "=")
		_, err := strconv.ParseUint(number, 10, 63)
		switch {
		case strings.EqualFold(name, "max-age") && isAge && err == nil:
			ages++
		case (strings.EqualFold(name, "includeSubDomains") || strings.EqualFold(name, "preload")) && !isAge:
		default:
			ages = -1 << 10
		}
	}
	switch {
	case ages != 1:
		return optionError("HSTS", value, "it is max-age=SECONDS, and then includeSubDomains or preload, like "+
			`"max-age=31536000; includeSubDomains"`)
	case !useTLS:
		return optionError("HSTS", value, "it needs TLS")
	}
	return nil
}
