package source

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// The window begins with short segments, as a reader of the first bytes may want no more, and each is
// twice as long as the one before.
var (
	segmentBytesMin = threshold.New("remote: first segment read ahead", 256<<10, 1)
	segmentBytesMax = threshold.New("remote: longest segment read ahead", 2<<20, 1)
)

const segmentsMax = 8 // requests in flight

// WindowBytes is the most memory that reads in order of an object take.
const WindowBytes = (segmentsMax + 1) * (2 << 20)

// window reads an object at any offset. Reads in ascending order, as a decompressor makes them, are served from
// segments that are requested ahead, several at once. Any other read is a request of its own.
type window struct {
	object Object

	mu       sync.Mutex
	ctx      context.Context
	cancel   context.CancelFunc
	segments []*segment // one behind the other
	next     int64      // the end of the last read
	bytes    int        // of the next segment
	wg       sync.WaitGroup
}

// segment is a range that is being fetched, or was.
type segment struct {
	off, end int64
	cancel   context.CancelFunc
	done     chan struct{} // closed when the rest is set
	data     []byte
	err      error
}

func newWindow(o Object) *window {
	w := &window{object: o, next: -1}
	w.resume()
	return w
}

// ReadAt reads as io.ReaderAt says.
func (w *window) ReadAt(p []byte, off int64) (n int, err error) {
	end := min(off+int64(len(p)), w.object.Bytes())
	for at := off; at < end && err == nil; at = off + int64(n) {
		var got int
		if s := w.segment(at); s != nil {
			<-s.done
			got, err = copy(p[n:], s.data[min(at-s.off, int64(len(s.data))):]), s.err
			switch {
			case got > 0:
				err = nil // it is met again behind these bytes
			case errors.Is(err, context.Canceled):
				// Another reader needed the window elsewhere, unless everybody's reads were interrupted.
				got, err = w.direct(p[n:end-off], at)
			}
		} else {
			got, err = w.direct(p[n:end-off], at)
		}
		n += got
	}
	w.mu.Lock()
	w.next = off + int64(n)
	w.mu.Unlock()
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// direct reads a range by a request of its own.
func (w *window) direct(p []byte, off int64) (int, error) {
	w.mu.Lock()
	ctx := w.ctx
	w.mu.Unlock()
	r := w.object.ReadRange(ctx, off, off+int64(len(p)))
	n, err := io.ReadFull(r, p)
	return n, errors.Join(err, r.Close())
}

// segment returns the segment that an offset lies in, nil if the read is not one of a series.
func (w *window) segment(off int64) *segment {
	w.mu.Lock()
	defer w.mu.Unlock()
	held := len(w.segments) > 0 && w.segments[0].off <= off && off <= w.segments[len(w.segments)-1].end
	if !held && off != w.next {
		return nil
	}
	if !held {
		w.drop(len(w.segments))
		w.bytes = segmentBytesMin.Get()
	}
	behind := 0
	for behind < len(w.segments) && w.segments[behind].end <= off {
		behind++
	}
	w.drop(max(behind-1, 0)) // one is kept for reads that overlap
	ahead := 2
	if len(w.segments) > 1 {
		ahead = segmentsMax
	}
	for len(w.segments) < ahead {
		from := off
		if n := len(w.segments); n > 0 {
			from = w.segments[n-1].end
		}
		if from >= w.object.Bytes() {
			break
		}
		w.fetch(from)
	}
	for _, s := range w.segments {
		if s.off <= off && off < s.end {
			return s
		}
	}
	return nil
}

// fetch requests the next segment. w.mu is held.
func (w *window) fetch(off int64) {
	ctx, cancel := context.WithCancel(w.ctx)
	s := &segment{off: off, end: min(off+int64(w.bytes), w.object.Bytes()), cancel: cancel, done: make(chan struct{})}
	w.bytes = min(2*w.bytes, segmentBytesMax.Get())
	w.segments = append(w.segments, s)
	w.wg.Go(func() {
		defer close(s.done)
		r := w.object.ReadRange(ctx, s.off, s.end)
		data := make([]byte, s.end-s.off)
		n, err := io.ReadFull(r, data)
		s.data, s.err = data[:n], errors.Join(err, r.Close())
	})
}

// drop forgets the first n segments. w.mu is held.
func (w *window) drop(n int) {
	for _, s := range w.segments[:n] {
		s.cancel()
	}
	w.segments = append(w.segments[:0], w.segments[n:]...)
}

func (w *window) interrupt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cancel()
}

func (w *window) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx != nil && w.ctx.Err() == nil {
		return
	}
	w.drop(len(w.segments))
	w.ctx, w.cancel = context.WithCancel(context.Background())
}

// Close ends all requests.
func (w *window) Close() error {
	w.interrupt()
	w.wg.Wait()
	return nil
}
