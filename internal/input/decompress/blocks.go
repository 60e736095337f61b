package decompress

import (
	"hash/crc32"

	"github.com/thresh-dev/thresh/internal/kernel/inflate"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// A long member of gzip is decompressed by several workers, as pugz (Kerbiriou and Chikhi, 2019) and
// rapidgzip (Knespel and Brunst, 2023) do. It is a chain of blocks, of which each may begin at any bit.
//
//	stage 1, runs at once:  find a block in the segment and decode from there into symbols: a byte, or a
//	                        marker, which is a place in the 32 KiB before the run, unknown so far
//	between, in order:      a run ends where the next one begins; so the content before that one is known
//	stage 2, runs at once:  replace the markers by bytes, and compute the checksum
//
// As soon as 32 KiB in a row have no marker, or the content before the run is known, the run goes on with
// bytes. What was found by chance is where no run ends: it is dropped, like all wrong guesses. A run
// ends at the end of its member, because only the next one, in order, knows the checksum so far.

// blockWorkersMin is from how many workers on that pays: with fewer, the time for symbols and for what is
// dropped is not made up for.
var blockWorkersMin = threshold.New("decompress: workers for blocks of a gzip member", 4, 1)

// missesMax is how many runs in a row may be wrong guesses, before most segments are left alone: fixed codes,
// for example, cannot be found.
const (
	missesMax   = 32
	missesEvery = 16
)

// resume sets where the next run begins.
func (d *gzipDecoder) resume(at joint) { d.at = at }

// continued prepares a run that begins within a member.
func (d *gzipDecoder) continued() error {
	at := d.at
	d.at, d.tail, d.partial = joint{}, nil, at.partial
	d.crc, d.bytes, d.block = at.crc, at.bytes, 0
	switch {
	case at.part == memberTrailer:
		d.first = false
		return d.end()
	case at.inMember():
		d.open, d.first = true, false
		d.flate.decoder.ResetAt(at.bit, at.part == memberStored, at.before)
		d.flate.decoder.PauseAtBlocks()
	default:
		d.flate.decoder.Reset()
	}
	return nil
}

// endsAtBlock asks whether the run ends where a block begins.
func (d *gzipDecoder) endsAtBlock() bool {
	_, bits, stored := d.flate.decoder.Paused()
	at, off := joint{part: memberBlock}, d.off()
	if stored {
		at.part = memberStored
	}
	if bits > 0 {
		at.bit = 8 - bits
		off--
	}
	if d.ends == nil || !d.flate.decoder.Full() || !d.ends(off, at) {
		return false
	}
	if d.flate.decoder.Marked() {
		d.tail = d.flate.decoder.Tail()
	} else {
		at.before = d.flate.decoder.Window()
	}
	d.at = at
	return true
}

// joint returns where the run has ended.
func (d *gzipDecoder) joint() joint {
	at := d.at
	if at.part != memberHeader {
		at.crc, at.bytes, at.partial = d.crc, d.bytes, d.partial
	}
	return at
}

// candidate returns the next place in data where a run may begin, from bit i on: a member or, behind the
// last one, from the first bit again, a block. See run.candidate.
func (d *gzipDecoder) candidate(data []byte, i int, blocks bool) (bit int, at joint, next int) {
	bits := 8 * len(data)
	if i < bits {
		if k := nextMember(data, (i+7)/8); k >= 0 {
			return 8 * k, at, 8*k + 1
		}
		i = bits
	}
	if !blocks {
		return -1, at, 0
	}
	if d.finder == nil {
		d.finder = inflate.NewFinder()
	}
	k, stored := d.finder.Next(data, i-bits)
	at = joint{bit: uint8(k & 7), part: memberBlock, partial: true}
	if stored {
		at.part = memberStored
	}
	return k, at, bits + k + 1
}

// tries reports whether blocks are worth looking for in the next segment.
func (p *pipeline) tries() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.blocks {
		return false
	}
	if p.misses < missesMax {
		return true
	}
	p.misses++
	return p.misses%missesEvery == 0
}

// endsAt reports whether the run ends before a block: behind its limit, where the next run begins. If
// that is not known yet, it waits. If the next segment has no run, this one goes on through it.
func (r *run) endsAt(off int64, at joint) bool {
	p := r.pipeline
	p.mu.Lock()
	defer p.mu.Unlock()
	for off >= r.limit && !r.dropped && !p.closed {
		seg := p.window.holding(off)
		if seg == nil {
			return false // not read yet, so nothing begins there
		}
		if r.inOrder {
			p.dropBefore(seg.off)
		}
		next := p.runs[seg.off]
		switch {
		case next != nil && next.searching:
			p.output.Wait()
			continue
		case next != nil && next.start == off && at.fits(next.begin):
			return true
		case next != nil && next.start > off:
			return false
		case next != nil:
			p.drop(seg.off, next)
		}
		r.limit = seg.end()
		p.claimed = max(p.claimed, r.limit)
	}
	return false
}

// pass tells the runs behind one that has ended, and is right, that they are right too: those that begin
// where the one before has ended. From then on they know the content before them.
func (p *pipeline) pass(r *run) {
	for r.right && r.ended && r.err == nil {
		if r.tail != nil {
			output := make([]byte, inflate.WindowBytes)
			r.begin.before.Replace(output, r.tail)
			r.finish.before, r.tail = inflate.NewWindow(output), nil
		}
		p.frontier, p.frontierOff = r.finish, r.end
		seg := p.window.holding(r.end)
		if seg == nil || p.runs[seg.off] == nil || !p.takeOver(p.runs[seg.off]) {
			return
		}
		r = p.runs[seg.off]
	}
}

// takeOver says that a run is right, if the last one that is has ended where it begins. It reports whether
// this is new.
func (p *pipeline) takeOver(r *run) bool {
	if r.right || r.searching || r.start != p.frontierOff || !p.frontier.fits(r.begin) {
		return false
	}
	r.right, r.begin.before = true, p.frontier.before
	p.window.arrived.Broadcast() // its markers can be replaced
	return true
}

// unmark makes a decoder return bytes instead of symbols, if it can. It reports whether the decoder still
// returns symbols.
func (r *run) unmark(d *gzipDecoder) bool {
	if d == nil || !d.open || !d.flate.decoder.Marked() {
		return false
	}
	r.pipeline.mu.Lock()
	before := r.begin.before
	r.pipeline.mu.Unlock()
	return !d.flate.decoder.Unmark(before)
}

// chunk is a part of a run's output. The pipeline's lock guards its fields, but not the data.
type chunk struct {
	data   []byte
	marked bool // data is symbols
	busy   bool // its symbols are being replaced
	unused bool // the run was dropped meanwhile
	summed bool // crc is its checksum; that of other chunks is computed by the decoder
	crc    uint32
}

// marked returns a run, the first one, whose markers can be replaced; nil if there is none.
func (p *pipeline) marked() (first *run) {
	for _, r := range p.runs {
		if r.right && r.markedChunk() != nil && (first == nil || r.start < first.start) {
			first = r
		}
	}
	if p.current.markedChunk() != nil {
		return p.current
	}
	return first
}

// markedChunk returns the first chunk whose markers nothing replaces yet; nil if there is none.
func (r *run) markedChunk() *chunk {
	for _, c := range r.chunks {
		if c.marked && !c.busy {
			return c
		}
	}
	return nil
}

// replaceAll replaces the markers of a run, as far as it is decompressed.
func (p *pipeline) replaceAll(r *run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := r.markedChunk(); c != nil && r.right && !p.closed; c = r.markedChunk() {
		p.replace(r, c)
	}
}

// replace replaces the markers of a chunk, without the lock.
func (p *pipeline) replace(r *run, c *chunk) {
	c.busy = true
	before := r.begin.before
	p.mu.Unlock()
	symbols := inflate.AsSymbols(c.data)
	out := c.data[:len(symbols)]
	before.Replace(out, symbols)
	crc := crc32.ChecksumIEEE(out)
	p.mu.Lock()
	c.data, c.crc, c.marked, c.busy, c.summed = out, crc, false, false, true
	if c.unused {
		p.giveBack(c.data)
	}
	p.output.Broadcast()
}
