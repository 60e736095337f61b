package copy

import (
	"fmt"
	"net/http"
	"path/filepath"
)

// httpMiddleware is the article's opening story in its most common place: an access log wraps the
// ResponseWriter to count bytes in Write, and so hides ReadFrom.
func httpMiddleware() variant {
	return variant{id: "http-middleware", what: "http.FileServer behind a byte-counting ResponseWriter",
		path: byCopy, asks: get, serve: answering(countBodies)}
}

//thresh:ignore responsewrapper the article's wrapper, whose cost is measured
type countingResponse struct {
	http.ResponseWriter
	n int64
}

func (c *countingResponse) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.n += int64(n)
	return n, err
}

func countBodies(path string, logError func(error)) http.Handler {
	inner := http.FileServer(http.Dir(filepath.Dir(path)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counted := &countingResponse{ResponseWriter: w}
		inner.ServeHTTP(counted, r)
		if counted.n == 0 {
			logError(fmt.Errorf("answer %s: no bytes counted", r.URL.Path))
		}
	})
}
