package decompress

import (
	"errors"
	"io"
	"sync"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// inOrderChunks is how many chunks the run whose turn it is may be ahead of the reader,
// whatever the others have taken of the budget.
var inOrderChunks = threshold.New("unpack: chunks of the run whose turn it is", 4, 1)

// pipeline decompresses with several goroutines, as the package comment tells. One lock
// guards all of it; what is done under it is short, once a segment or chunk.
type pipeline struct {
	codec   *codec
	workers int
	window  window
	wg      sync.WaitGroup

	mu      sync.Mutex
	began   bool
	closed  bool
	current *run           // whose output is passed on
	runs    map[int64]*run // started ahead, by the offset of their segment
	taken   int64          // segments that begin before it are taken, or need no run
	first   decoder        // of the runs that are begun when it is their turn
	chunks  int            // that hold output, of all runs
	free    [][]byte       // chunks for use
	output  sync.Cond      // a run has more output, or has found where it begins
	room    sync.Cond      // there is room for output

	rest []byte // of the chunk that is being passed on
	held []byte // that chunk
	err  error
}

func newPipeline(r io.Reader, c *codec, workers int) *pipeline {
	p := &pipeline{codec: c, workers: workers, runs: map[int64]*run{}, taken: c.off + 1}
	p.output.L, p.room.L = &p.mu, &p.mu
	p.window = window{r: r, walker: c.walker, mu: &p.mu, segmentsMax: aheadSegments.Get() * workers, end: c.off}
	p.window.closed = func() bool { return p.closed }
	p.window.arrived.L, p.window.left.L = &p.mu, &p.mu
	p.current = &run{pipeline: p, start: c.off, end: c.off, ended: true}
	return p
}

// begin starts the goroutines: one reads, the others decompress.
func (p *pipeline) begin() {
	p.began = true
	p.wg.Go(p.window.fill)
	if p.codec.format.many() {
		for range p.workers {
			p.wg.Go(p.ahead)
		}
	}
}

// Read returns what comes next of the unpacked bytes.
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

// Close ends the goroutines and waits for them.
func (p *pipeline) Close() error {
	p.mu.Lock()
	p.closed = true
	p.err, p.rest = errClosed, nil
	for _, c := range []*sync.Cond{&p.output, &p.room, &p.window.arrived, &p.window.left} {
		c.Broadcast()
	}
	p.mu.Unlock()
	p.wg.Wait()
	if p.first != nil {
		p.first.close()
		p.first = nil
	}
	return nil
}

// next returns the next chunk, of the current run or of the one that follows.
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
		case len(r.chunks) > 0:
			p.held = r.chunks[0]
			r.chunks = r.chunks[1:]
			return r.pass(p.held), nil
		case r.err != nil && tooLarge(r.err) && !r.large:
			// A run that was started ahead came to a frame with a large window. It is
			// decompressed once more, with the memory for one.
			p.start(r.start, r.limit, r.passed)
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
	if r.inOrder && !p.codec.format.many() {
		return io.EOF
	}
	seg, err := p.window.at(r.end, nil)
	switch {
	case err == io.EOF && (r.err != nil || p.codec.walker.broken()):
		return &Error{Format: p.codec.format, Off: r.end, Err: ErrTruncated}
	case err == io.EOF && !r.inOrder: // nothing has been read: the decoder says what it thinks of that
		p.start(r.end, r.end+1, 0)
		return nil
	case err == io.EOF || err == errClosed:
		return err
	case err != nil:
		return &Error{Format: p.codec.format, Off: p.window.end, Err: err}
	}
	limit := seg.end()
	p.taken = max(p.taken, limit)
	for off, other := range p.runs {
		if off < seg.off {
			p.drop(off, other)
		}
	}
	next := p.runs[seg.off]
	for next != nil && next.searching && !p.closed {
		p.output.Wait()
	}
	if next == nil || next.start != r.end || next.searching {
		if next != nil {
			p.drop(seg.off, next)
		}
		p.start(r.end, limit, 0)
		return nil
	}
	delete(p.runs, seg.off)
	next.inOrder = true
	p.current = next
	p.room.Broadcast()
	p.window.arrived.Broadcast()
	return nil
}

// start makes a run that begins now the current one.
func (p *pipeline) start(off, limit, skip int64) {
	if p.first == nil {
		p.first = p.codec.decoder(false)
	}
	r := &run{pipeline: p, start: off, limit: limit, skip: skip, inOrder: true, large: true}
	p.current = r
	p.wg.Go(func() { r.work(p.first) })
}

// drop ends a run that began on a coincidence.
func (p *pipeline) drop(off int64, r *run) {
	delete(p.runs, off)
	r.dropped = true
	p.discard(r)
	p.room.Broadcast()
	p.window.arrived.Broadcast()
}

// discard gives the output of a run back.
func (p *pipeline) discard(r *run) {
	for _, c := range r.chunks {
		p.giveBack(c)
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

// ahead starts runs before their turn, one after the other.
func (p *pipeline) ahead() {
	d := p.codec.decoder(true)
	defer d.close()
	for {
		r, seg := p.claim()
		if r == nil {
			return
		}
		r.search(d, seg)
		p.mu.Lock()
		p.window.unpin(seg)
		p.mu.Unlock()
	}
}

// claim takes the next segment, nil when there will be none.
func (p *pipeline) claim() (*run, *segment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed {
		seg := p.window.from(p.taken)
		switch {
		case seg != nil:
			p.taken = seg.end()
			if p.codec.walker != nil && seg.start < 0 {
				continue
			}
			r := &run{pipeline: p, start: -1, searching: true, limit: seg.end()}
			p.runs[seg.off] = r
			seg.pins++
			return r, seg
		case p.window.err != nil:
			return nil, nil
		}
		p.window.arrived.Wait()
	}
	return nil, nil
}
