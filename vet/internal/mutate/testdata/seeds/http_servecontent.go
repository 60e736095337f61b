// case: ServeContent(file)
package seed

import (
	"net/http"
	"os"
	"path/filepath"
)

type site struct{ dir string }

func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := filepath.Join(s.dir, filepath.FromSlash(filepath.Clean("/"+r.URL.Path)))
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
	http.ServeContent(w, r, info.Name(), info.ModTime(), f)
}
