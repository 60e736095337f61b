// Package other is of another module.
package other

import "net/http"

// Recorder notes the status.
type Recorder struct {
	http.ResponseWriter
	Status int
}

// WriteHeader notes the status.
func (r *Recorder) WriteHeader(status int) {
	r.Status = status
	r.ResponseWriter.WriteHeader(status)
}

// New returns a Recorder around w.
func New(w http.ResponseWriter) *Recorder { return &Recorder{ResponseWriter: w} }
