package serve

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"syscall"

	"github.com/thresh-dev/thresh/internal/net/docroot"
	"github.com/thresh-dev/thresh/internal/net/httpsem"
	"github.com/thresh-dev/thresh/zerocopy"
)

// smallBytes is the longest range that is read and written instead of sent by the kernel: one call
// reads it, and its write includes the header.
const smallBytes = 32 << 10

var errShorter = errors.New("the file has become shorter since it was opened")

// serveRange sends one range of f, which may be all of it.
func (h *handler) serveRange(w http.ResponseWriter, r *http.Request, f docroot.File, status int, part httpsem.Range) {
	head := r.Method == http.MethodHead
	var small []byte
	if !head && part.Bytes <= smallBytes {
		buffer := h.buffers.Get().(*[smallBytes]byte)
		defer h.buffers.Put(buffer)
		small = buffer[:part.Bytes]
		if n, err := h.readRange(f, part, small); err != nil { // nothing is promised yet
			h.logFileError(f, part, int64(n), err)
			writeUnavailable(w, r)
			return
		}
	}
	header := w.Header()
	if status != http.StatusNotFound { // that page must not be cached under this name
		setFileHeader(header, f)
	}
	header.Set("Content-Type", contentType(f))
	header.Set("Content-Length", strconv.FormatInt(part.Bytes, 10))
	if f.Encoding != "" {
		header.Set("Content-Encoding", f.Encoding)
	}
	if status == http.StatusPartialContent {
		header.Set("Content-Range", part.ContentRange(f.Size))
	}
	w.WriteHeader(status)
	switch {
	case head:
	case part.Bytes > smallBytes:
		h.sendRange(w, f, part)
	default:
		writeOrAbort(w, small)
	}
}

func contentType(f docroot.File) string {
	if f.Type == "" {
		return "application/octet-stream"
	}
	return f.Type
}

// readRange fills buffer, which is as long as part.
func (h *handler) readRange(f docroot.File, part httpsem.Range, buffer []byte) (int, error) {
	n, err := zerocopy.NewSection(f.File, part.Off, part.Bytes, h.options.disk).ReadAt(buffer, 0)
	if n == len(buffer) {
		err = nil // io.EOF at the end of the section is expected
	}
	return n, err
}

// sendRange sends part of f on the fast path if w allows it. It first flushes what is left of the
// header and of earlier parts, in one write. Otherwise net/http would read the first bytes of the
// file to send them along with it.
func (h *handler) sendRange(w http.ResponseWriter, f docroot.File, part httpsem.Range) {
	if err := http.NewResponseController(w).Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		panic(http.ErrAbortHandler) // the client is gone
	}
	section := zerocopy.NewSection(f.File, part.Off, part.Bytes, h.options.disk)
	rest := &io.LimitedReader{R: section, N: part.Bytes}
	var n int64
	var err error
	if to, ok := w.(io.ReaderFrom); ok {
		n, err = to.ReadFrom(rest)
	} else {
		buffer := h.buffers.Get().(*[smallBytes]byte)
		defer h.buffers.Put(buffer)
		n, err = io.CopyBuffer(w, rest, buffer[:])
	}
	if err == nil && n < part.Bytes {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		h.logFileError(f, part, n, err)
		panic(http.ErrAbortHandler)
	}
}

// writeOrAbort writes all of p. An error means that the client is gone, and aborts the response.
func writeOrAbort(w http.ResponseWriter, p []byte) {
	if _, err := w.Write(p); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// logFileError logs an error after n bytes of part, if it is the file's. A client that left or is
// too slow is not an error.
func (h *handler) logFileError(f docroot.File, part httpsem.Range, n int64, err error) {
	var path *fs.PathError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = errShorter
	case errors.As(err, &path):
		err = path.Err
	case errors.Is(err, syscall.EIO), errors.Is(err, syscall.ESTALE): // errors that no socket returns
	default:
		return
	}
	h.options.errorLog(fmt.Errorf("serve %s at %d: %d bytes unsent: %w", f.Name(), part.Off+n, part.Bytes-n, err))
}

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
