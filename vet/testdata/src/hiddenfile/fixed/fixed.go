// Package fixed has files that a fix can serve by sendfile.
package fixed

import (
	"net/http"
	"os"
)

func server() http.Handler {
	return http.FileServerFS(os.DirFS("/srv")) // want `use http.FileServer`
}

func adapter() http.Handler {
	return http.FileServer(http.FS(os.DirFS("static"))) // want `use http.Dir`
}

func variable() http.Handler {
	files := http.FS(os.DirFS("static")) // want `use http.Dir`
	return http.FileServer(files)
}

func named() http.Handler {
	var files http.FileSystem = http.FS(os.DirFS("static")) // want `use http.Dir`
	return http.FileServer(files)
}

const dir = "/srv/files"

func constant() http.Handler {
	return http.FileServerFS(os.DirFS(dir)) // want `use http.FileServer`
}

func file(w http.ResponseWriter, r *http.Request) {
	http.ServeFileFS(w, r, os.DirFS("/srv"), "index.html") // want `use http.ServeFile`
}
