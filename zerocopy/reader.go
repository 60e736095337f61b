package zerocopy

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Reader is a reader with hooks. It keeps the path that the reader inside has.
type Reader struct {
	inner io.Reader
	hooks []Hook
}

// NewReader returns r with hooks.
func NewReader(r io.Reader, hooks ...Hook) *Reader { return &Reader{r, hooks} }

// Inner returns the reader inside.
func (r *Reader) Inner() io.Reader { return r.inner }

// Read reads once; hooks may let it read less than p holds.
func (r *Reader) Read(p []byte) (int, error) {
	return readHooked(context.Background(), r.hooks, r.inner, p)
}

// WriteTo copies all that is left to w on the best path.
func (r *Reader) WriteTo(w io.Writer) (int64, error) {
	res, err := transferAll(w, r, true)
	return res.Total(), err
}

// Close closes the reader inside, if it can be closed.
func (r *Reader) Close() error { return closeInner(r.inner) }

// ReadSeeker is a Reader over what can seek, as http.ServeContent wants it.
type ReadSeeker struct{ Reader }

// NewReadSeeker returns r with hooks.
func NewReadSeeker(r io.ReadSeeker, hooks ...Hook) *ReadSeeker {
	return &ReadSeeker{Reader{r, hooks}}
}

// Seek seeks the reader inside.
func (r *ReadSeeker) Seek(offset int64, whence int) (int64, error) {
	s, ok := r.inner.(io.Seeker)
	if !ok {
		return 0, fmt.Errorf("seek: a %T cannot: %w", r.inner, errors.ErrUnsupported)
	}
	return s.Seek(offset, whence)
}

// Writer is a writer with hooks. It keeps the path that the writer inside has.
type Writer struct {
	inner io.Writer
	hooks []Hook
}

// NewWriter returns w with hooks.
func NewWriter(w io.Writer, hooks ...Hook) *Writer { return &Writer{w, hooks} }

// Inner returns the writer inside.
func (w *Writer) Inner() io.Writer { return w.inner }

// Write writes all of p, in as many slices as the hooks want.
func (w *Writer) Write(p []byte) (int, error) {
	return writeHooked(context.Background(), w.hooks, w.inner, p)
}

// ReadFrom copies from r until it ends, on the best path.
func (w *Writer) ReadFrom(r io.Reader) (int64, error) {
	res, err := transferAll(w, r, false)
	return res.Total(), err
}

// Close closes the writer inside, if it can be closed.
func (w *Writer) Close() error { return closeInner(w.inner) }

func closeInner(inner any) error {
	if c, ok := inner.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// readHooked is a plain Read between hooks.
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

// writeHooked is a plain Write between hooks, slice by slice.
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

// before asks the hooks in turn. It returns how many bytes may go, and how many hooks were
// asked without an error: these are owed an After.
func before(ctx context.Context, hooks []Hook, want int64) (allowed int64, passed int, err error) {
	for i, h := range hooks {
		n, err := h.Before(ctx, want)
		if err != nil {
			return 0, i, err
		}
		if n < 1 || n > want {
			return 0, i + 1, fmt.Errorf("hook %T allows %d bytes of %d: at least 1 and no more than wanted", h, n, want)
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
