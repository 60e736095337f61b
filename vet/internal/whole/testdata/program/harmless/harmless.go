// Package harmless has wrappers that cost nothing.
package harmless

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"net"
	"net/http"
	"time"
)

type noted struct {
	http.ResponseWriter
	code int
}

func (n *noted) WriteHeader(code int) { n.code = code; n.ResponseWriter.WriteHeader(code) }

// JSON answers in JSON alone.
func JSON() http.Handler {
	return note(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(r.URL.Path)
	}))
}

func note(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&noted{ResponseWriter: w}, r)
	})
}

//go:embed harmless.go
var assets embed.FS

type assetLog struct{ http.ResponseWriter }

// Assets serves what is in the program.
func Assets() http.Handler {
	files := http.FileServer(http.FS(assets))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		files.ServeHTTP(assetLog{w}, r)
	})
}

type pageLog struct{ http.ResponseWriter }

// Page serves what it made.
func Page(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(pageLog{w}, r, "page", time.Time{}, bytes.NewReader([]byte("page")))
}

type hijacked struct {
	http.ResponseWriter
	conn net.Conn
}

func (h *hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) { return h.conn, nil, nil }

// Upgrade hands a connection to a handler, and no response.
func Upgrade(conn net.Conn, r *http.Request, h http.Handler) { h.ServeHTTP(&hijacked{conn: conn}, r) }
