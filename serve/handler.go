package serve

import (
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/thresh-dev/thresh/internal/site"
	"github.com/thresh-dev/thresh/zerocopy"
)

type handlerOptions struct {
	noListing bool
	gate      zerocopy.Gate
	complain  func(error)
}

func newHandler(s *site.Site, o handlerOptions) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e, err := s.Lookup(r.URL.Path)
		if err != nil {
			http.Error(w, err.Error(), map[bool]int{true: 404, false: 403}[errors.Is(err, site.ErrNotFound)])
			return
		}
		defer e.Release()
		if e.Folder {
			http.Error(w, e.Name, 403)
			return
		}
		h := w.Header()
		h.Set("Content-Type", e.Plain.Type)
		h.Set("Etag", e.Plain.ETag)
		h.Set("Accept-Ranges", "bytes")
		h.Set("Content-Length", strconv.FormatInt(e.Plain.Size, 10))
		if r.Method == "HEAD" {
			return
		}
		section := zerocopy.NewSection(e.Plain.File, 0, e.Plain.Size, o.gate)
		if e.Plain.Size <= 32<<10 {
			buf := make([]byte, e.Plain.Size)
			_, err = e.Plain.ReadAt(buf, 0)
			if err == nil {
				_, err = w.Write(buf)
			}
		} else {
			_, err = io.CopyN(w, section, e.Plain.Size)
		}
		if err != nil {
			panic(http.ErrAbortHandler)
		}
	})
}
