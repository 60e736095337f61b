// wrapper: a response with an optional tee; without one it forwards
package seed

import (
	"io"
	"net/http"
	"os"
)

type teeWriter struct {
	http.ResponseWriter
	tee   io.Writer
	bytes int64
}

func (t *teeWriter) Write(p []byte) (int, error) {
	n, err := t.ResponseWriter.Write(p)
	if t.tee != nil {
		if _, err := t.tee.Write(p[:n]); err != nil {
			return n, err
		}
	}
	t.bytes += int64(n)
	return n, err
}

func (t *teeWriter) ReadFrom(r io.Reader) (int64, error) {
	if t.tee != nil {
		return io.Copy(struct{ io.Writer }{t}, r)
	}
	n, err := io.Copy(t.ResponseWriter, r)
	t.bytes += n
	return n, err
}

func media(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("media" + r.URL.Path)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		http.NotFound(w, r)
		return
	}
	http.ServeContent(&teeWriter{ResponseWriter: w}, r, info.Name(), info.ModTime(), f)
}
