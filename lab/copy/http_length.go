package copy

import (
	"io"
	"net/http"
	"os"
	"strconv"
)

// httpLength avoids the article's surprise "for another post": io.Copy to a ResponseWriter with a
// Content-Length.
func httpLength() variant {
	return variant{id: "http-length", what: "io.Copy to a ResponseWriter, Content-Length set", path: bySendfile,
		asks: get, serve: opening(copyWithLength)}
}

func copyWithLength(w http.ResponseWriter, _ *http.Request, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	_, err = io.Copy(w, f)
	return err
}
