//go:build go1.27

package serve

import (
	"crypto/tls"
	"net"
)

// encrypt returns the connection that net/http gets.
func (s *Server) encrypt(h *handedOver) net.Conn {
	if !h.client.binding.encrypted {
		return h
	}
	return &encrypted{tls.Server(h, s.http.TLSConfig), h.watch}
}
