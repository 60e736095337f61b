package sized

import (
	"io"
	"net/http"
	"os"
	"time"
)

// The file was read before: what is left of it is not its size.
func read(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("data")
	if err != nil {
		return
	}
	info, err := f.Stat()
	if err != nil || info.IsDir() {
		return
	}
	f.Read(make([]byte, 512))
	io.Copy(w, f) // want `without Content-Length`
}

// Nobody asked for the size.
func unknown(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("data.gz")
	if err != nil {
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	http.ServeContent(w, r, "data", time.Time{}, f) // want `sets no Content-Length`
}

// The variable has the size of another file by then.
func another(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("data")
	if err != nil {
		return
	}
	info, err := f.Stat()
	if err != nil || info.IsDir() {
		return
	}
	info, err = os.Stat("other")
	if err != nil {
		return
	}
	io.Copy(w, f) // want `without Content-Length`
}
