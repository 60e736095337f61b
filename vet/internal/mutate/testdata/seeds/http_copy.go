// case: io.Copy(w, file), Content-Length
package seed

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

func download(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
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
	w.Header().Set("Content-Disposition", "attachment")
	w.Header().Set("Content-Length", fmt.Sprint(info.Size()))
	if _, err := io.Copy(w, f); err != nil {
		panic(http.ErrAbortHandler)
	}
}

func routes(mux *http.ServeMux) { mux.HandleFunc("GET /download/{name}", download) }
