package copy

import (
	"io"
	"net/http"
	"os"

	"github.com/thresh-dev/thresh/lab"
)

// httpChunked is the article's surprise "for another post": the textbook io.Copy to a
// ResponseWriter. Without a length the body is sent in chunks, and their headers must be written
// between pieces of 32 KiB.
func httpChunked() variant {
	return variant{id: "http", what: "io.Copy to a ResponseWriter, no Content-Length", path: byCopy,
		published: lab.Published{Text: "can route around sendfile"}, asks: get, serve: opening(copyInChunks)}
}

func copyInChunks(w http.ResponseWriter, _ *http.Request, f *os.File) error {
	_, err := io.Copy(w, f)
	return err
}
