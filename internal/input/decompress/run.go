package decompress

import (
	"errors"
	"io"
	"math"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/kernel/inflate"
)

// run decompresses from one offset to the first end of a member at limit or behind it. The
// pipeline's lock guards its fields.
type run struct {
	pipeline  *pipeline
	start     int64 // -1 if there is none
	begin     joint // at start
	finish    joint // at end
	limit     int64
	searching bool  // start is not known yet
	right     bool  // its start is no guess any more
	inOrder   bool  // it is the current run: its output is delivered
	dropped   bool  // its output is not needed
	large     bool  // its decoder allows large windows
	skip      int64 // bytes of output that another run has already delivered
	delivered int64 // bytes of output delivered, including skipped ones
	chunks    []*chunk
	tail      []inflate.Symbol // the last content, if that is symbols
	headCRC   uint32           // of the chunks that were symbols, as far as delivered
	headBytes int64
	ended     bool
	end       int64 // offset where it ended
	err       error // the error that ended it; nil at the end of a member
	failure   error // that error, for users
	// kept are segments before the cursor, each pinned, that the window has dropped. The run
	// needs them because it starts again if it meets a frame with a large window.
	kept []*segment
}

// deliver counts a chunk as delivered, and returns it without the bytes that another run has
// already delivered.
func (r *run) deliver(c *chunk) []byte {
	if c.summed {
		r.headCRC = combineCRC(r.headCRC, c.crc, int64(len(c.data)))
		r.headBytes += int64(len(c.data))
	}
	n := min(r.skip, int64(len(c.data)))
	r.skip -= n
	r.delivered += int64(len(c.data))
	return c.data[n:]
}

// ending returns the joint at the end of a run that was delivered.
func (r *run) ending() joint {
	end := r.finish
	if r.headBytes > 0 {
		end.crc = combineCRC(r.headCRC, end.crc, end.bytes)
		end.bytes += r.headBytes
	}
	return r.begin.after(end)
}

// search tries the offsets in a segment where a member may begin, until decompression succeeds.
func (r *run) search(d decoder, seg *segment) {
	p := r.pipeline
	blocks := p.tries()
	for off, at, next := r.candidate(d, seg, 0, blocks); off >= 0; off, at, next = r.candidate(d, seg, next, blocks) {
		p.mu.Lock()
		if r.dropped || p.closed {
			p.mu.Unlock()
			return
		}
		r.start, r.begin, r.searching, r.right = off, at, false, false
		p.takeOver(r)
		p.output.Broadcast()
		p.mu.Unlock()
		if r.decompress(d, at) {
			return
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r.start, r.searching, r.ended = -1, false, true
	p.output.Broadcast()
}

// candidate returns the next place, from bit i of the segment on, where a run may begin, and the bit
// to go on from. The offset is -1 if there is none.
func (r *run) candidate(d decoder, seg *segment, i int, blocks bool) (off int64, at joint, next int) {
	if i, at, next = r.pipeline.codec.candidate(r, d, seg, i, blocks); i < 0 {
		return -1, at, 0
	}
	return seg.off + int64(i/8), at, next
}

// decompress decompresses the run from its start, which it was given as begin: r.begin may become more
// exact meanwhile, when the run gets its turn. It returns false if the run failed before its turn. Then none of
// its output was delivered, and another start may be tried.
func (r *run) decompress(d decoder, begin joint) (ok bool) {
	p := r.pipeline
	in := &cursor{run: r, stopAt: math.MaxInt64}
	in.at.Store(r.start)
	defer in.close()
	j, _ := d.(jointed)
	if j != nil {
		j.resume(begin)
	}
	g, _ := d.(*gzipDecoder)
	if g != nil && p.blocks {
		g.ends = r.endsAt
	}
	first := firstChunkBytes.Get()
	err := d.reset(in, r.limit)
	for err == nil {
		memory := r.newChunk()
		if memory == nil {
			d.stop()
			return true
		}
		room := min(cap(memory), first)
		first = min(2*first, cap(memory))
		marked := r.unmark(g)
		if marked {
			room -= room % inflate.SymbolBytes
		}
		var n int
		n, err = r.fill(d, in, memory[:room])
		p.mu.Lock()
		if n > 0 && !r.dropped {
			r.chunks = append(r.chunks, &chunk{data: memory[:n], marked: marked})
		} else {
			p.giveBack(memory)
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
	if j != nil {
		r.finish = j.joint()
	}
	if err != io.EOF {
		r.err, r.failure = err, p.codec.fail(d, err, in.err)
	}
	if g != nil {
		r.tail = g.tail
		p.pass(r)
	}
	p.output.Broadcast()
	return true
}

// newChunk returns memory for output. It waits for room: the current run has its own bound,
// inOrderChunks, and all others share the budget. It returns nil if the output is not needed.
func (r *run) newChunk() []byte {
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
			return inflate.NewMemory(chunkBytes.Get())
		}
		p.room.Wait()
	}
	return nil
}

// fill decompresses into a chunk until it is full, or until the reader waits for it while no input
// is left.
func (r *run) fill(d decoder, in *cursor, chunk []byte) (n int, err error) {
	for n < len(chunk) && err == nil {
		var got int
		got, err = d.Read(chunk[n:])
		n += got
		if n > 0 && r.isAwaited(in) {
			break
		}
	}
	return n, err
}

// isAwaited reports whether the reader has no output of the run left, while the run has used up the
// input that has been read.
func (r *run) isAwaited(in *cursor) bool {
	p := r.pipeline
	p.mu.Lock()
	defer p.mu.Unlock()
	return r.inOrder && len(r.chunks) == 0 && in.pos() >= p.window.end
}

// cursor reads the compressed data of a run.
type cursor struct {
	run    *run
	at     atomic.Int64 // atomic, because a library's goroutine may read
	stopAt int64        // the input ends before the first frame that begins here or later
	seg    *segment
	err    error // the error that ended the input
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

// move moves to the segment with the next byte.
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

// leave releases a segment. It keeps the segment if the run may still meet the header of a frame
// with a large window and start again; the last frame of a run begins before its limit.
func (c *cursor) leave() {
	r := c.run
	w := &r.pipeline.window
	switch {
	case w.walker != nil && !r.large && c.pos() < r.limit+headerBytesMax:
		r.kept = append(r.kept, c.seg)
		return
	case r.large && len(r.kept) > 0 && r.kept[0] == c.seg: // kept by the run that this one repeats
		w.unpin(c.seg)
		r.kept = r.kept[1:]
	case !r.large:
		r.release()
	}
	w.unpin(c.seg)
}

// release releases the kept segments.
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
		return // nothing was read, or the segments are kept for the run that starts again
	}
	c.run.release()
	p.window.unpin(c.seg)
	c.seg = nil
}
