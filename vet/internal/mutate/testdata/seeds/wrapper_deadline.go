// wrapper: a response whose deadline is renewed for each slice
package seed

import (
	"io"
	"net/http"
	"os"
	"time"
)

type idleWriter struct {
	http.ResponseWriter
	idle time.Duration
}

func (w *idleWriter) renew() error {
	return http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.idle))
}

func (w *idleWriter) Write(p []byte) (int, error) {
	if err := w.renew(); err != nil {
		return 0, err
	}
	return w.ResponseWriter.Write(p)
}

func (w *idleWriter) ReadFrom(r io.Reader) (total int64, err error) {
	lr, ok := r.(*io.LimitedReader)
	if !ok {
		lr = &io.LimitedReader{R: r, N: 1<<63 - 1}
	}
	for lr.N > 0 {
		if err := w.renew(); err != nil {
			return total, err
		}
		slice := min(lr.N, 1<<20)
		n, err := io.Copy(w.ResponseWriter, &io.LimitedReader{R: lr.R, N: slice})
		total += n
		lr.N -= n
		if err != nil || n < slice {
			return total, err
		}
	}
	return total, nil
}

func serveSlowly(w http.ResponseWriter, r *http.Request, f *os.File, modified time.Time) {
	http.ServeContent(&idleWriter{w, time.Minute}, r, f.Name(), modified, f)
}
