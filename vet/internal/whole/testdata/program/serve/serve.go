// Package serve serves files of a vfs.FS.
package serve

import (
	"net/http"
	"time"

	"example.com/other"
	"example.com/program/vfs"
)

// Files serves a file system.
type Files struct{ fs vfs.FS }

// New returns a handler.
func New(fs vfs.FS) *Files { return &Files{fs} }

func (s *Files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, err := s.fs.Open(r.URL.Path)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	http.ServeContent(w, r, r.URL.Path, f.ModTime(), f) // want "diskFile embeds io.ReadSeeker, which hides the .os.File"
}

// Sized serves a file of which a part counts.
func Sized(w http.ResponseWriter, r *http.Request) {
	f, err := vfs.Open("sized", 10)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	http.ServeContent(w, r, "sized", time.Time{}, f) // want "vfs.Sized hides the file or connection"
}

// Recorded notes the status of what another handler sends.
func Recorded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(other.New(w), r) // want "other.Recorder hides ReadFrom of the response"
	})
}
