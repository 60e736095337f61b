package copy

import (
	"net/http"
	"path/filepath"
)

// httpFileServer is the standard library's server of files, with nothing around it; the
// article does not time it. It opens the folder as http.Dir: by way of fs.FS it copies.
func httpFileServer() Variant {
	return Variant{ID: "http-fileserver", What: "http.FileServer(http.Dir(folder))", Path: BySendfile, asks: get,
		serve: answering(func(path string, _ func(error)) http.Handler {
			return http.FileServer(http.Dir(filepath.Dir(path)))
		})}
}
