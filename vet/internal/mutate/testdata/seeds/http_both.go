// case: ServeContent, both headers
package seed

import (
	"net/http"
	"os"
	"strconv"
)

func sidecar(w http.ResponseWriter, r *http.Request) {
	name := "public" + r.URL.Path + ".br"
	f, err := os.Open(name)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Encoding", "br")
	w.Header().Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	http.ServeContent(w, r, r.URL.Path, info.ModTime(), f)
}
