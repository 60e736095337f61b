package decompress

import (
	"errors"
	"io"
	"math/bits"
	"sync"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/kernel/inflate"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// inOrderChunks is how many chunks the current run may be ahead of the reader, even if the other
// runs have used up the budget.
var inOrderChunks = threshold.New("decompress: chunks of the current run", 4, 1)

// pipeline decompresses with several goroutines, as the package comment describes. One lock guards
// all its state. It is held briefly, once per segment or chunk.
type pipeline struct {
	codec   *codec
	workers int
	window  window
	wg      sync.WaitGroup

	mu      sync.Mutex
	began   bool
	closed  bool
	current *run           // the run whose output is delivered
	runs    map[int64]*run // runs started ahead, by the offset of their segment
	claimed int64          // segments that begin before it are claimed, or need no run
	decoder decoder        // for runs that start when they become current
	chunks  int            // chunks in use, all runs together
	free    [][]byte       // memory of unused chunks

	// Of gzip: see blocks.go.
	blocks      bool  // runs may begin at a block
	misses      int   // runs that were wrong guesses, in a row
	taken       int   // runs that began at a block and were right
	frontier    joint // where the last run has ended that is known to be right
	frontierOff int64
	output      sync.Cond // a run has more output, or knows where it starts
	room        sync.Cond // there is room for output

	rest []byte // the part of held that was not delivered yet
	held []byte // the chunk that is being delivered
	err  error
}

func newPipeline(r io.Reader, c *codec, workers int) *pipeline {
	p := &pipeline{codec: c, workers: workers, runs: map[int64]*run{}, claimed: c.off + 1}
	p.blocks = c.blocks && workers >= blockWorkersMin.Get()
	p.output.L, p.room.L = &p.mu, &p.mu
	p.window = window{r: r, walker: c.walker, mu: &p.mu, end: c.off}
	// A read may return a single byte, so what the current run looks back on may be that many segments.
	p.window.segmentsMax = max(aheadSegments.Get()*workers, lookBackBytes+2)
	p.window.closed = func() bool { return p.closed }
	p.window.arrived.L, p.window.room.L = &p.mu, &p.mu
	p.current = &run{pipeline: p, start: c.off, end: c.off, ended: true}
	return p
}

// begin starts the goroutines: one reads, the others decompress.
func (p *pipeline) begin() {
	p.began = true
	p.wg.Go(p.window.fill)
	if p.codec.parallel() {
		for range p.workers {
			p.wg.Go(p.ahead)
		}
	}
}

// Read returns the next decompressed bytes.
func (p *pipeline) Read(b []byte) (int, error) {
	if !p.began {
		p.begin()
	}
	for len(p.rest) == 0 && p.err == nil && len(b) > 0 {
		p.rest, p.err = p.next()
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	if n == 0 {
		return 0, p.err
	}
	return n, nil
}

// Close stops the goroutines and waits for them.
func (p *pipeline) Close() error {
	p.mu.Lock()
	p.closed = true
	p.err, p.rest = errClosed, nil
	for _, c := range []*sync.Cond{&p.output, &p.room, &p.window.arrived, &p.window.room} {
		c.Broadcast()
	}
	p.mu.Unlock()
	p.wg.Wait()
	if p.decoder != nil {
		p.decoder.close()
		p.decoder = nil
	}
	return nil
}

// next returns the next chunk, from the current run or the one that follows it.
func (p *pipeline) next() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.giveBack(p.held)
	p.held = nil
	for {
		r := p.current
		for len(r.chunks) == 0 && !r.ended && !p.closed {
			p.output.Wait()
		}
		switch {
		case p.closed:
			return nil, errClosed
		case len(r.chunks) > 0 && r.chunks[0].busy:
			p.output.Wait()
		case len(r.chunks) > 0 && r.chunks[0].marked:
			p.replace(r, r.chunks[0])
		case len(r.chunks) > 0:
			c := r.chunks[0]
			r.chunks, p.held = r.chunks[1:], c.data
			return r.deliver(c), nil
		case r.err != nil && tooLarge(r.err) && !r.large:
			// A run that was started ahead met a frame with a large window. It starts again
			// with memory for such a window.
			p.start(r.start, r.begin, r.limit, r.delivered)
			p.current.kept = r.kept
		case r.err != nil && !errors.Is(r.err, errUnfinished):
			return nil, r.failure
		default:
			if err := p.follow(r); err != nil {
				return nil, err
			}
		}
	}
}

// follow makes the run that begins where r ended the current one.
func (p *pipeline) follow(r *run) error {
	if r.inOrder && !p.codec.parallel() {
		return io.EOF
	}
	joint := r.ending()
	seg, err := p.window.at(r.end, nil)
	switch {
	case err == io.EOF && (r.err != nil || p.codec.walker.incomplete() || joint.level > 0 || joint.part != memberHeader):
		return &failure.DamageError{Format: p.codec.name, Off: r.end, Err: failure.ErrTruncated}
	case err == io.EOF && !r.inOrder: // the input is empty: let the decoder return its error for that
		p.start(r.end, joint, r.end+1, 0)
		return nil
	case err == io.EOF || err == errClosed:
		return err
	case err != nil:
		return &failure.DamageError{Format: p.codec.name, Off: p.window.end, Err: err}
	}
	limit := seg.end()
	p.claimed = max(p.claimed, limit)
	p.dropBefore(seg.off)
	next := p.runs[seg.off]
	for next != nil && next.searching && !p.closed {
		p.output.Wait()
	}
	if next == nil || next.start != r.end || next.searching || !joint.fits(next.begin) {
		if next != nil {
			p.drop(seg.off, next)
		}
		p.start(r.end, joint, limit, 0)
		return nil
	}
	delete(p.runs, seg.off)
	p.misses = 0
	if joint.inMember() {
		p.taken++
	}
	next.begin = joint
	next.inOrder, next.right = true, true
	p.current = next
	p.pass(next)
	p.room.Broadcast()
	p.window.arrived.Broadcast()
	return nil
}

// start starts a new run and makes it the current one.
func (p *pipeline) start(off int64, at joint, limit, skip int64) {
	if p.decoder == nil {
		p.decoder = p.codec.decoder(false)
	}
	r := &run{pipeline: p, start: off, begin: at, limit: limit, skip: skip, inOrder: true, right: true, large: true}
	p.current = r
	p.wg.Go(func() { r.decompress(p.decoder, at) })
}

// dropBefore drops the runs of the segments before an offset.
func (p *pipeline) dropBefore(off int64) {
	for at, r := range p.runs {
		if at < off {
			p.drop(at, r)
		}
	}
}

// drop ends a run whose start was a wrong guess.
func (p *pipeline) drop(off int64, r *run) {
	delete(p.runs, off)
	r.dropped = true
	p.misses++
	p.discard(r)
	p.room.Broadcast()
	p.window.arrived.Broadcast()
}

// discard frees the output of a run.
func (p *pipeline) discard(r *run) {
	for _, c := range r.chunks {
		if c.unused = true; !c.busy {
			p.giveBack(c.data)
		}
	}
	r.chunks = nil
}

func (p *pipeline) giveBack(chunk []byte) {
	if chunk == nil {
		return
	}
	p.chunks--
	p.free = append(p.free, chunk[:0])
	p.room.Broadcast()
}

// ahead runs in each worker. It starts runs before their turn, one after the other.
func (p *pipeline) ahead() {
	d := p.codec.decoder(true)
	defer d.close()
	for {
		r, seg := p.claim()
		switch {
		case r == nil:
			return
		case seg == nil:
			p.replaceAll(r)
			continue
		}
		r.search(d, seg)
		p.mu.Lock()
		p.window.unpin(seg)
		p.mu.Unlock()
	}
}

// claim claims the next segment for a new run, or returns a run whose markers can be replaced, and no
// segment. It returns nil if there is nothing more to do.
func (p *pipeline) claim() (*run, *segment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed {
		if r := p.marked(); r != nil {
			return r, nil
		}
		seg := p.window.nextFrom(p.claimed)
		switch {
		case seg != nil:
			p.claimed = seg.end()
			if p.codec.walker != nil && seg.start < 0 {
				continue
			}
			r := &run{pipeline: p, start: -1, searching: true, limit: seg.end()}
			p.runs[seg.off] = r
			seg.pins++
			return r, seg
		case p.window.err != nil && (!p.blocks || len(p.runs) == 0):
			return nil, nil
		}
		p.window.arrived.Wait()
	}
	return nil, nil
}

// joint is what a run must know, besides the offset, to begin where another has ended. It is zero
// at the beginning of members and frames, and so for all formats except bzip2 and gzip.
type joint struct {
	bit  uint8 // in the byte at the offset
	part part  // of a gzip member: what follows

	level uint8 // of the stream of bzip2, whose next block or end follows; 0: a stream may begin
	// The combined checksum of the stream's blocks, or of the member's content, so far; if partial, of
	// what follows the run's own beginning.
	crc     uint32
	partial bool
	blocks  int   // of bzip2 that crc is of
	bytes   int64 // of a gzip member's content that crc is of

	before *inflate.Window // the content before a block of a gzip member; nil: it is not known yet
}

// part is a part of a gzip member.
type part uint8

const (
	memberHeader part = iota
	memberBlock       // of deflate data
	memberStored      // what follows the first bits of a stored block
	memberTrailer
)

// inMember reports whether deflate data follows, for which a run must know the content before it.
func (j joint) inMember() bool { return j.part == memberBlock || j.part == memberStored }

// jointed is a decoder whose runs may begin at any joint. Resume is called before reset.
type jointed interface {
	resume(at joint)
	joint() joint
}

// fits reports whether a run that has ended here is continued by one that began at the joint next.
func (j joint) fits(next joint) bool {
	return j.bit == next.bit && j.level == next.level && j.part == next.part
}

// after returns the end of a run that began at j. A partial end becomes a complete one: a combined
// checksum of bzip2 is rotated by a bit for each block, so that of the blocks before is rotated on.
func (j joint) after(end joint) joint {
	switch {
	case !end.partial:
		return end
	case end.part != memberHeader:
		end.crc = combineCRC(j.crc, end.crc, end.bytes)
		end.bytes += j.bytes
	default:
		end.crc ^= bits.RotateLeft32(j.crc, end.blocks%32)
		end.blocks += j.blocks
	}
	end.partial = j.partial
	return end
}
