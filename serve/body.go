package serve

import (
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

// smallBytes is up to where a body is read and written: that is one call to read it, and
// its write takes the header along. Above, the kernel sends it.
const smallBytes = 32 << 10

var errShorter = errors.New("the file is shorter now than when it was opened")

// whole answers with one stretch of f, all of it or a range.
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
	setFileHeader(header, f)
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

// read fills buffer, which is as long as part.
func (h *handler) readRange(f docroot.File, part httpsem.Range, buffer []byte) (int, error) {
	n, err := zerocopy.NewSection(f.File, part.Off, part.Bytes, h.options.disk).ReadAt(buffer, 0)
	if n == len(buffer) {
		err = nil // the end of the section is no surprise
	}
	return n, err
}

// send sends part of f without a detour where w allows. What is not yet sent of the header
// and of earlier parts goes first, in one write: net/http would otherwise read the first
// bytes of the file to put them beside it.
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

// write writes all of p, or cuts the response off: then the client is gone.
func writeOrAbort(w http.ResponseWriter, p []byte) {
	if _, err := w.Write(p); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// fault complains of an error after n bytes of part, if it is the file's. That a client went
// away, or is too slow, is no fault.
func (h *handler) logFileError(f docroot.File, part httpsem.Range, n int64, err error) {
	var path *fs.PathError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = errShorter
	case errors.As(err, &path):
		err = path.Err
	case errors.Is(err, syscall.EIO), errors.Is(err, syscall.ESTALE): // no socket says these
	default:
		return
	}
	h.options.errorLog(fmt.Errorf("serve %s at %d: %d bytes unsent: %w", f.Name(), part.Off+n, part.Bytes-n, err))
}
