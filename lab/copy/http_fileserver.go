package copy

import (
	"net/http"
	"path/filepath"
)

// httpFileServer is the standard library's file server without a wrapper. The article does not time
// it. It opens the folder with http.Dir, because it copies from an fs.FS.
func httpFileServer() Variant {
	return Variant{ID: "http-fileserver", What: "http.FileServer(http.Dir(folder))", Path: BySendfile, asks: get,
		serve: answering(func(path string, _ func(error)) http.Handler {
			return http.FileServer(http.Dir(filepath.Dir(path)))
		})}
}
