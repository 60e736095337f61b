package decompress

import (
	"io"
	"sync"
)

// segment is a part of the compressed data.
type segment struct {
	off   int64
	data  []byte
	start int64 // offset of the first frame that begins in it, -1 if there is none or it is unknown
	pins  int   // users of data, including the window
}

func (s *segment) end() int64 { return s.off + int64(len(s.data)) }

// window holds the compressed data that was read ahead: from the segment of the current run on, as
// far as there is room.
type window struct {
	r           io.Reader
	walker      *walker
	mu          *sync.Mutex
	segmentsMax int

	closed  func() bool
	segs    []*segment
	head    [bzip2HeaderBytes]byte // of the input, as far as the first segment has it
	end     int64                  // of the last segment
	err     error                  // the error or io.EOF behind the last segment
	free    [][]byte
	arrived sync.Cond // a segment or the end has arrived
	room    sync.Cond // there is room for a segment
}

// emptyReadsMax is how often in a row a reader may return neither a byte nor an error.
const emptyReadsMax = 100

// fill reads to the end of the input or until the pipeline is closed.
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

// buffer waits for room and returns memory for a segment, nil after Close.
func (w *window) buffer() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.segs) >= w.segmentsMax && !w.closed() {
		w.room.Wait()
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

// add appends the result of a read, and reports whether to go on.
func (w *window) add(data []byte, err error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(data) > 0 {
		s := &segment{off: w.end, data: data, start: -1, pins: 1}
		if start := w.walker.walk(data); start >= 0 {
			s.start = s.off + int64(start)
		}
		if w.segs == nil {
			copy(w.head[:], data)
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

// level returns the level in the header of the first stream of bzip2, 0 if it is not known.
func (w *window) level() uint8 {
	if level := w.head[bzip2HeaderBytes-1]; '1' <= level && level <= '9' {
		return level - '0'
	}
	return 0
}

// nextFrom returns the first segment that begins at off or later, nil if it was not read yet.
func (w *window) nextFrom(off int64) *segment {
	for _, s := range w.segs {
		if s.off >= off {
			return s
		}
	}
	return nil
}

// lookBackBytes is how far behind its last read a run may end: what a bitReader holds of segments
// before the one that it reads. The next run begins there, so the current run keeps these bytes.
const lookBackBytes = 8

// at waits for the segment that holds the byte at off and returns it. For the current run it also
// moves the window on to off. The error is the one that ended the input, or errClosed.
func (w *window) at(off int64, r *run) (*segment, error) {
	for {
		if r == nil {
			w.drop(off)
		} else if r.inOrder {
			w.drop(off - lookBackBytes)
		}
		if s := w.holding(off); s != nil {
			return s, nil
		}
		if s := r.keptAt(off); s != nil {
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

// holding returns the segment that holds the byte at off, nil if it is not in the window.
func (w *window) holding(off int64) *segment {
	for _, s := range w.segs {
		if s.off <= off && off < s.end() {
			return s
		}
	}
	return nil
}

// keptAt returns the run's kept segment that holds the byte at off, nil if there is none.
func (r *run) keptAt(off int64) *segment {
	if r != nil {
		for _, s := range r.kept {
			if s.off <= off && off < s.end() {
				return s
			}
		}
	}
	return nil
}

// drop drops the segments before off.
func (w *window) drop(off int64) {
	for len(w.segs) > 0 && w.segs[0].end() <= off {
		w.unpin(w.segs[0])
		w.segs = w.segs[1:]
		w.room.Signal()
	}
}

func (w *window) unpin(s *segment) {
	if s.pins--; s.pins == 0 {
		w.free = append(w.free, s.data[:cap(s.data)])
		s.data = nil
	}
}
