//go:build !go1.27

package serve

import (
	"crypto/tls"
	"net"
)

// encrypt returns the connection that net/http gets. Before Go 1.27 net/http speaks HTTP/2 only on a
// *tls.Conn itself, so what net/http answers there by itself is not seen.
func (s *Server) encrypt(h *handedOver) net.Conn {
	if !h.client.binding.encrypted {
		return h
	}
	return tls.Server(h, s.http.TLSConfig)
}
