package copy

import (
	"net/http"
	"path/filepath"
)

// httpFileServer is the standard library's file server without a wrapper. The article does not time
// it. It opens the folder with http.Dir, because it copies from an fs.FS.
func httpFileServer() variant {
	return variant{id: "http-fileserver", what: "http.FileServer(http.Dir(folder))", path: bySendfile, asks: get,
		serve: answering(func(path string, _ func(error)) http.Handler {
			return http.FileServer(http.Dir(filepath.Dir(path)))
		})}
}
