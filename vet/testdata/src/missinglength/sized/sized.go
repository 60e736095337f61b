// Package fixed has files without a length whose size is at hand.
package sized

import (
	"io"
	"net/http"
	"os"
)

func download(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("data")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.IsDir() {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	io.Copy(w, f) // want `without Content-Length`
}

func encoded(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("data.gz")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	http.ServeContent(w, r, "data", fi.ModTime(), f) // want `sets no Content-Length`
}

func checked(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("data")
	if err != nil {
		return
	}
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return
	}
	if _, err := io.Copy(w, f); err != nil { // want `without Content-Length`
		panic(http.ErrAbortHandler)
	}
}
