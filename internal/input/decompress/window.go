package decompress

import (
	"io"
	"sync"
)

// segment is a part of the packed bytes.
type segment struct {
	off   int64
	data  []byte
	start int64 // the first frame that begins in it, -1 where none does or nobody knows
	pins  int   // users of data, the window among them
}

func (s *segment) end() int64 { return s.off + int64(len(s.data)) }

// window is the packed bytes that have been read ahead: from the segment that the current
// run reads, as far as there is room.
type window struct {
	r           io.Reader
	walker      *walker
	mu          *sync.Mutex
	segmentsMax int

	closed  func() bool
	segs    []*segment
	end     int64 // of the last one
	err     error // why nothing follows
	free    [][]byte
	arrived sync.Cond // a segment, or the end of them
	left    sync.Cond // there is room for a segment
}

// emptyReadsMax is how often a reader may give neither a byte nor an error.
const emptyReadsMax = 100

// fill reads until there is nothing more or the pipeline is closed.
func (w *window) fill() {
	empty := 0
	for buf := w.buffer(); buf != nil; buf = w.buffer() {
		n, err := w.r.Read(buf)
		if empty++; n > 0 {
			empty = 0
		} else if err == nil && empty == emptyReadsMax {
			err = io.ErrNoProgress
		}
		if !w.add(buf[:n], err) {
			return
		}
	}
}

// buffer returns memory for a segment when there is room for it, nil after Close.
func (w *window) buffer() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.segs) >= w.segmentsMax && !w.closed() {
		w.left.Wait()
	}
	if w.closed() {
		return nil
	}
	if n := len(w.free); n > 0 {
		buf := w.free[n-1]
		w.free = w.free[:n-1]
		return buf
	}
	return make([]byte, segmentBytes.Get())
}

// add appends what a read gave, and reports whether to go on.
func (w *window) add(data []byte, err error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(data) > 0 {
		s := &segment{off: w.end, data: data, start: -1, pins: 1}
		if start := w.walker.walk(data); start >= 0 {
			s.start = s.off + int64(start)
		}
		w.segs = append(w.segs, s)
		w.end = s.end()
	} else {
		w.free = append(w.free, data[:cap(data)])
	}
	w.err = err
	w.arrived.Broadcast()
	return err == nil
}

// from returns the first segment that begins at off or behind it, nil when it has not been
// read yet.
func (w *window) from(off int64) *segment {
	for _, s := range w.segs {
		if s.off >= off {
			return s
		}
	}
	return nil
}

// at returns the segment that holds the byte at off, and waits for it. A run whose turn it
// is moves the window on. The error is the one that ended the input, or errClosed.
func (w *window) at(off int64, r *run) (*segment, error) {
	for {
		if r == nil || r.inOrder {
			w.forget(off)
		}
		for _, s := range w.segs {
			if s.off <= off && off < s.end() {
				return s, nil
			}
		}
		if s := r.keeps(off); s != nil {
			return s, nil
		}
		switch {
		case w.closed() || r != nil && r.dropped:
			return nil, errClosed
		case w.err != nil:
			return nil, w.err
		}
		w.arrived.Wait()
	}
}

// keeps returns the segment with the byte at off that a run has kept, nil where it has none.
func (r *run) keeps(off int64) *segment {
	if r != nil {
		for _, s := range r.kept {
			if s.off <= off && off < s.end() {
				return s
			}
		}
	}
	return nil
}

// forget gives up the segments before off.
func (w *window) forget(off int64) {
	for len(w.segs) > 0 && w.segs[0].end() <= off {
		w.unpin(w.segs[0])
		w.segs = w.segs[1:]
		w.left.Signal()
	}
}

func (w *window) unpin(s *segment) {
	if s.pins--; s.pins == 0 {
		w.free = append(w.free, s.data[:cap(s.data)])
		s.data = nil
	}
}
