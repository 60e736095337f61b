package decompress

import (
	"errors"
	"io"
	"math"
	"sync/atomic"
)

// run decompresses from one place to the first end of a member at limit or behind it. Its
// fields are guarded by the pipeline's lock.
type run struct {
	pipeline  *pipeline
	start     int64 // -1 when there is none
	limit     int64
	searching bool  // start is not known yet
	inOrder   bool  // its output is passed on
	dropped   bool  // nobody wants it
	large     bool  // its decoder takes large windows
	skip      int64 // output that another run has passed on already
	passed    int64 // output that has been passed on
	chunks    [][]byte
	ended     bool
	end       int64 // where it ended
	err       error // with which; nil at the end of a member
	failure   error // that error for users
	// Segments behind the cursor that are still needed, each pinned: the run may come to a
	// frame with a large window, and is then begun again. The window has forgotten them.
	kept []*segment
}

// pass counts a chunk that is passed on, and takes what has been before.
func (r *run) pass(chunk []byte) []byte {
	n := min(r.skip, int64(len(chunk)))
	r.skip -= n
	r.passed += int64(len(chunk))
	return chunk[n:]
}

// search tries the places in a segment where a member may begin, until one holds.
func (r *run) search(d decoder, seg *segment) {
	p := r.pipeline
	for off := r.candidate(seg, seg.off); off >= 0; off = r.candidate(seg, off+1) {
		p.mu.Lock()
		if r.dropped || p.closed {
			p.mu.Unlock()
			return
		}
		r.start, r.searching = off, false
		p.output.Broadcast()
		p.mu.Unlock()
		if r.work(d) {
			return
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r.start, r.searching, r.ended = -1, false, true
	p.output.Broadcast()
}

// candidate returns the next place at off or behind it, -1 when there is none.
func (r *run) candidate(seg *segment, off int64) int64 {
	if r.pipeline.codec.walker != nil {
		if off <= seg.start {
			return seg.start
		}
		return -1
	}
	i := nextMember(seg.data, int(off-seg.off))
	if i < 0 {
		return -1
	}
	return seg.off + int64(i)
}

// work decompresses the run. It returns false when the run failed before its turn: then
// nothing has been passed on, and another beginning may be tried.
func (r *run) work(d decoder) (kept bool) {
	p := r.pipeline
	in := &cursor{run: r, stopAt: math.MaxInt64}
	in.at.Store(r.start)
	defer in.close()
	err := d.reset(in, r.limit)
	for err == nil {
		chunk := r.chunk()
		if chunk == nil {
			d.stop()
			return true
		}
		var n int
		n, err = r.fill(d, in, chunk[:cap(chunk)])
		p.mu.Lock()
		if n > 0 && !r.dropped {
			r.chunks = append(r.chunks, chunk[:n])
		} else {
			p.giveBack(chunk)
		}
		p.output.Broadcast()
		p.mu.Unlock()
	}
	good := err == io.EOF || errors.Is(err, errUnfinished)
	if !good {
		d.stop()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !good && !r.inOrder {
		r.searching = true
		p.discard(r)
		return false
	}
	if tooLarge(err) && in.seg != nil {
		r.kept = append(r.kept, in.seg)
		in.seg = nil
	}
	r.ended, r.end = true, d.off()
	if err != io.EOF {
		r.err, r.failure = err, p.codec.fail(d, err, in.err)
	}
	p.output.Broadcast()
	return true
}

// chunk returns memory for output when there is room for it: within the budget, or within
// the bound for the run whose turn it is. It returns nil when nobody wants the output.
func (r *run) chunk() []byte {
	p := r.pipeline
	p.mu.Lock()
	defer p.mu.Unlock()
	for !r.dropped && !p.closed {
		if r.inOrder && len(r.chunks) < inOrderChunks.Get() || !r.inOrder && p.chunks < p.workers*budgetChunks.Get() {
			p.chunks++
			if n := len(p.free); n > 0 {
				c := p.free[n-1]
				p.free = p.free[:n-1]
				return c
			}
			return make([]byte, 0, chunkBytes.Get())
		}
		p.room.Wait()
	}
	return nil
}

// fill decompresses into a chunk until it is full, or until the reader has nothing else
// while the input is slow.
func (r *run) fill(d decoder, in *cursor, chunk []byte) (n int, err error) {
	for n < len(chunk) && err == nil {
		var got int
		got, err = d.Read(chunk[n:])
		n += got
		if n > 0 && r.waitedFor(in) {
			break
		}
	}
	return n, err
}

// waitedFor reports whether the reader waits while no packed bytes are left to be read.
func (r *run) waitedFor(in *cursor) bool {
	p := r.pipeline
	p.mu.Lock()
	defer p.mu.Unlock()
	return r.inOrder && len(r.chunks) == 0 && in.pos() >= p.window.end
}

// cursor reads the packed bytes of a run.
type cursor struct {
	run    *run
	at     atomic.Int64 // a library's goroutine may be the one that reads
	stopAt int64        // the first frame that begins there or behind it is not read
	seg    *segment
	err    error // that ended the input
}

func (c *cursor) pos() int64 { return c.at.Load() }

func (c *cursor) Read(b []byte) (int, error) {
	at := c.at.Load()
	if c.seg == nil || at == c.seg.end() {
		if err := c.move(); err != nil {
			return 0, err
		}
	}
	data := c.seg.data[at-c.seg.off:]
	if start := c.seg.start; start >= c.stopAt {
		data = data[:start-at]
		if len(data) == 0 {
			return 0, io.EOF
		}
	}
	n := copy(b, data)
	c.at.Store(at + int64(n))
	return n, nil
}

// move goes on to the segment that holds the next byte.
func (c *cursor) move() error {
	p := c.run.pipeline
	p.mu.Lock()
	defer p.mu.Unlock()
	seg, err := p.window.at(c.pos(), c.run)
	if err != nil {
		c.err = err
		return err
	}
	seg.pins++
	if c.seg != nil {
		c.leave()
	}
	c.seg = seg
	return nil
}

// leave lets go of a segment, or keeps it while a frame's header may come that makes the run
// begin again. The last frame of a run begins before its limit.
func (c *cursor) leave() {
	r := c.run
	w := &r.pipeline.window
	switch {
	case w.walker != nil && !r.large && c.pos() < r.limit+headerBytesMax:
		r.kept = append(r.kept, c.seg)
		return
	case r.large && len(r.kept) > 0 && r.kept[0] == c.seg: // of the run before
		w.unpin(c.seg)
		r.kept = r.kept[1:]
	case !r.large:
		r.release()
	}
	w.unpin(c.seg)
}

// release lets go of the segments that are kept.
func (r *run) release() {
	for _, s := range r.kept {
		r.pipeline.window.unpin(s)
	}
	r.kept = nil
}

func (c *cursor) close() {
	p := c.run.pipeline
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.seg == nil {
		return // or kept for the run that begins again
	}
	c.run.release()
	p.window.unpin(c.seg)
	c.seg = nil
}
