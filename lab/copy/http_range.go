package copy

import (
	"net/http"
	"os"
)

// httpRange requests a range from http.ServeContent: the whole file except for its first byte. The
// article states that this keeps sendfile, but does not show it.
func httpRange() variant {
	return variant{id: "http-range", what: "http.ServeContent, one range", path: bySendfile,
		asks: getRange, serve: opening(serveContent)}
}

func serveContent(w http.ResponseWriter, r *http.Request, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	http.ServeContent(w, r, f.Name(), info.ModTime(), f)
	return nil
}
