package zerocopy

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Reader is a reader with hooks. It keeps the fast path that the wrapped reader allows. Like most
// readers, it is not safe for concurrent use.
type Reader struct {
	inner io.Reader
	hooks []Hook
}

// NewReader returns r with hooks, which run in order. Their context never ends. It panics if r or a
// hook is nil.
func NewReader(r io.Reader, hooks ...Hook) *Reader {
	require("NewReader", "reader", r)
	requireHooks("NewReader", hooks)
	return &Reader{r, hooks}
}

// Inner returns the wrapped reader.
func (r *Reader) Inner() io.Reader { return r.inner }

// Read calls the wrapped reader's Read once; the hooks may let it read fewer than len(p) bytes.
func (r *Reader) Read(p []byte) (int, error) {
	return readHooked(context.Background(), r.hooks, r.inner, p)
}

// WriteTo copies the rest of the reader to w on the fastest path.
func (r *Reader) WriteTo(w io.Writer) (int64, error) {
	res, err := transferAll(w, r, true)
	return res.Total(), err
}

// Close closes the wrapped reader if it is an io.Closer, else does nothing.
func (r *Reader) Close() error { return closeInner(r.inner) }

// ReadSeeker is a Reader that can seek, as http.ServeContent requires.
type ReadSeeker struct{ Reader }

// NewReadSeeker returns r with hooks. It panics if r or a hook is nil.
func NewReadSeeker(r io.ReadSeeker, hooks ...Hook) *ReadSeeker {
	require("NewReadSeeker", "reader", r)
	requireHooks("NewReadSeeker", hooks)
	return &ReadSeeker{Reader{r, hooks}}
}

// Seek calls the wrapped reader's Seek.
func (r *ReadSeeker) Seek(offset int64, whence int) (int64, error) {
	s, ok := r.inner.(io.Seeker)
	if !ok {
		return 0, fmt.Errorf("seek: a %T is no io.Seeker: %w", r.inner, errors.ErrUnsupported)
	}
	return s.Seek(offset, whence)
}

// Writer is a writer with hooks. It keeps the fast path that the wrapped writer allows. Like most
// writers, it is not safe for concurrent use.
type Writer struct {
	inner io.Writer
	hooks []Hook
}

// NewWriter returns w with hooks, which run in order. Their context never ends. It panics if w or a
// hook is nil.
func NewWriter(w io.Writer, hooks ...Hook) *Writer {
	require("NewWriter", "writer", w)
	requireHooks("NewWriter", hooks)
	return &Writer{w, hooks}
}

// Inner returns the wrapped writer.
func (w *Writer) Inner() io.Writer { return w.inner }

// Write writes all of p, in slices of the size that the hooks allow.
func (w *Writer) Write(p []byte) (int, error) {
	return writeHooked(context.Background(), w.hooks, w.inner, p)
}

// ReadFrom copies from r until it ends, on the fastest path.
func (w *Writer) ReadFrom(r io.Reader) (int64, error) {
	res, err := transferAll(w, r, false)
	return res.Total(), err
}

// Close closes the wrapped writer if it is an io.Closer, else does nothing.
func (w *Writer) Close() error { return closeInner(w.inner) }

func closeInner(inner any) error {
	if c, ok := inner.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// readHooked is a Read between hooks.
func readHooked(ctx context.Context, hooks []Hook, r io.Reader, p []byte) (int, error) {
	if len(hooks) == 0 || len(p) == 0 {
		return r.Read(p)
	}
	want, passed, err := before(ctx, hooks, int64(len(p)))
	var n int
	if err == nil {
		n, err = r.Read(p[:want])
	}
	after(hooks[:passed], int64(max(n, 0)), ByCopy)
	return n, err
}

// writeHooked is a Write between hooks, slice by slice.
func writeHooked(ctx context.Context, hooks []Hook, w io.Writer, p []byte) (int, error) {
	if len(hooks) == 0 || len(p) == 0 {
		return w.Write(p)
	}
	total := 0
	for total < len(p) {
		want, passed, err := before(ctx, hooks, int64(min(len(p)-total, sliceBytes)))
		var n int
		if err == nil {
			n, err = w.Write(p[total : total+int(want)])
			if err == nil && n < int(want) {
				err = io.ErrShortWrite
			}
		}
		after(hooks[:passed], int64(max(n, 0)), ByCopy)
		total += max(n, 0)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// before calls Before of the hooks in turn. It returns how many bytes may be moved, and for how
// many hooks After must be called: those whose Before returned no error.
func before(ctx context.Context, hooks []Hook, want int64) (allowed int64, passed int, err error) {
	for i, h := range hooks {
		n, err := h.Before(ctx, want)
		if err != nil {
			return 0, i, err
		}
		if n < 1 || n > want {
			return 0, i + 1, fmt.Errorf("hook %T allows %d bytes of %d: it must allow at least 1 and at most all", h, n, want)
		}
		want = n
	}
	return want, len(hooks), nil
}

func after(hooks []Hook, n int64, m Method) {
	for _, h := range hooks {
		h.After(n, m)
	}
}
