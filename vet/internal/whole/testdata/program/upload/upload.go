// Package upload has a server that hands its response to whatever keeps the files.
package upload

import "net/http"

// Store keeps files.
type Store interface{ Get(id string) Stored }

// Stored is a file that is kept.
type Stored interface {
	Serve(w http.ResponseWriter, r *http.Request) error
}

type logged struct { // want "logged hides ReadFrom of the response"
	http.ResponseWriter
	status int
}

func (l *logged) WriteHeader(status int) {
	l.status = status
	l.ResponseWriter.WriteHeader(status)
}

// Handler serves what a store has.
type Handler struct{ store Store }

// New returns a handler.
func New(s Store) *Handler { return &Handler{s} }

// ServeHTTP serves a file.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.get(&logged{ResponseWriter: w}, r)
}

func (h *Handler) get(w http.ResponseWriter, r *http.Request) {
	if err := h.store.Get(r.URL.Path).Serve(w, r); err != nil {
		http.Error(w, "no", http.StatusInternalServerError)
	}
}
