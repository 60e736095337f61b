package fixed

import (
	"net/http"
	"os"
)

// An empty name is no directory to os.DirFS and the current one to http.Dir.
func empty(name string) http.Handler {
	return http.FileServerFS(os.DirFS(name)) // want `use http.FileServer`
}

// A name from outside must not leave the directory.
func outside(w http.ResponseWriter, r *http.Request) {
	http.ServeFileFS(w, r, os.DirFS("/srv"), r.PathValue("name")) // want `use http.ServeFile`
}

func nothing() http.Handler {
	return http.FileServerFS(os.DirFS("")) // want `use http.FileServer`
}

// Not a name that os.DirFS opens.
func above(w http.ResponseWriter, r *http.Request) {
	http.ServeFileFS(w, r, os.DirFS("/srv"), "../index.html") // want `use http.ServeFile`
}
