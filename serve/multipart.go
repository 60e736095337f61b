package serve

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strconv"

	"github.com/thresh-dev/thresh/internal/net/docroot"
	"github.com/thresh-dev/thresh/internal/net/httpsem"
)

// serveRanges sends several ranges of f as multipart/byteranges (RFC 9110, 14.6). It builds the
// headers of all parts first, so that the total length is known, nothing is chunked, and the kernel
// can send each large part. What describes the bytes, their type and coding, goes into the header
// of each part.
func (h *handler) serveRanges(w http.ResponseWriter, r *http.Request, f docroot.File, ranges []httpsem.Range) {
	boundary := rand.Text()
	about := "\r\nContent-Type: " + contentType(f)
	if f.Encoding != "" {
		about += "\r\nContent-Encoding: " + f.Encoding
	}
	heads := make([]string, len(ranges))
	tail := "\r\n--" + boundary + "--\r\n"
	length := int64(len(tail))
	for i, part := range ranges {
		heads[i] = fmt.Sprintf("\r\n--%s%s\r\nContent-Range: %s\r\n\r\n", boundary, about, part.ContentRange(f.Size))
		if i == 0 {
			heads[i] = heads[i][len("\r\n"):]
		}
		length += int64(len(heads[i])) + part.Bytes
	}
	header := w.Header()
	setFileHeader(header, f)
	header.Set("Content-Type", "multipart/byteranges; boundary="+boundary)
	header.Set("Content-Length", strconv.FormatInt(length, 10))
	w.WriteHeader(http.StatusPartialContent)
	if r.Method == http.MethodHead {
		return
	}
	for i, part := range ranges {
		writeOrAbort(w, []byte(heads[i]))
		if part.Bytes > smallBytes {
			h.sendRange(w, f, part)
		} else {
			h.copyRange(w, f, part)
		}
	}
	writeOrAbort(w, []byte(tail))
}

// copyRange sends a small part through memory.
func (h *handler) copyRange(w http.ResponseWriter, f docroot.File, part httpsem.Range) {
	buffer := h.buffers.Get().(*[smallBytes]byte)
	defer h.buffers.Put(buffer)
	if n, err := h.readRange(f, part, buffer[:part.Bytes]); err != nil {
		h.logFileError(f, part, int64(n), err)
		panic(http.ErrAbortHandler)
	}
	writeOrAbort(w, buffer[:part.Bytes])
}
