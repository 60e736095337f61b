package group

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// Several goroutines merge many groups. The key range is split into parts of about the same
// number of bytes. The split uses samples: marks of the runs and entries of the tables; each
// sample represents the groups up to the next one. A goroutine merges a part into chunks, then
// takes the next part, and so on; the chunks are yielded in the order of the parts. Memory is
// bounded, because only some parts are in progress at a time, and a merger blocks when its part
// has chunksAhead chunks waiting.
const (
	chunksAhead = 16   // chunks of a part that may wait
	partsMax    = 4096 // in total: their bounds and channels are in memory
)

var (
	chunkBytes  = threshold.New("group: chunk of merged groups", 64<<10, 1)
	sampleBytes = threshold.New("group: bytes of groups in memory per sample", 16<<10, 1)
)

func partBytes() int { return chunksAhead * chunkBytes.Get() }

// parts is a merge in parts.
type parts struct {
	tables  []*Table
	mergers int
	parts   []part
}

// part is a range of keys: [from, to), nil for no bound.
type part struct {
	from, to []byte
	chunks   chan chunk // in order; closed after the last
}

// chunk is some merged groups, or an error.
type chunk struct {
	keys  []byte
	ends  []int // of the keys
	words []uint64
	err   error
}

// sample is a key and how many bytes of groups it represents.
type sample struct {
	key   string
	bytes int64
}

// planParts splits the work. It returns no parts if a split does not pay: few groups, one
// worker, or no memory for several mergers. It also returns none if there are objects, because
// a store belongs to one goroutine.
func planParts(tables []*Table, workers int) parts {
	p := parts{tables: tables}
	runs := 0
	var samples []sample
	for _, t := range tables {
		samples = t.appendSamples(samples)
		if t.spilled != nil {
			runs += len(t.spilled.runs)
		}
	}
	// Each merger needs memory for a part being merged, a part being yielded, and run buffers.
	mergerBytes := 2*partBytes() + runs*4*markBytes.Real()
	p.mergers = min(workers, ioBytes(tables)/mergerBytes)
	total := int64(0)
	for _, s := range samples {
		total += s.bytes
	}
	n := min(total/int64(partBytes()), partsMax)
	if n < 2 || p.mergers < 2 || anyObjects(tables) {
		return parts{}
	}
	slices.SortFunc(samples, func(a, b sample) int {
		return bytes.Compare([]byte(a.key), []byte(b.key))
	})
	var from []byte
	sum := int64(0)
	for _, s := range samples {
		if sum >= total/n && s.key > string(from) {
			p.parts = append(p.parts, newPart(from, []byte(s.key)))
			from, sum = []byte(s.key), 0
		}
		sum += s.bytes
	}
	p.parts = append(p.parts, newPart(from, nil))
	return p
}

func newPart(from, to []byte) part {
	return part{from: from, to: to, chunks: make(chan chunk, chunksAhead)}
}

// appendSamples appends samples of the groups in the sorted table and of its runs.
func (t *Table) appendSamples(samples []sample) []sample {
	step := max(1, sampleBytes.Get()/(8*t.stride))
	var b [shortBytes]byte
	for i := 0; i < len(t.pairs); i += step {
		if key := t.key(t.pairs[i].entry, &b); len(key) <= markKeyBytes.Get() {
			samples = append(samples, sample{string(key), int64(step * 8 * t.stride)})
		}
	}
	if t.spilled == nil {
		return samples
	}
	for _, r := range t.spilled.runs {
		for i, m := range r.marks {
			end := r.end
			if i+1 < len(r.marks) {
				end = r.marks[i+1].off
			}
			samples = append(samples, sample{m.key, end - m.off})
		}
	}
	return samples
}

// merge runs the mergers and yields their groups. When it returns, all its goroutines have ended.
func (p *parts) merge(ctx context.Context, yield func(key []byte, words []uint64, store ObjectStore) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	todo := make(chan part)
	underWay := make(chan struct{}, 2*p.mergers)
	spare := make(chan chunk, 2*p.mergers*chunksAhead) // chunks to reuse
	running.Go(func() {
		defer close(todo)
		for _, part := range p.parts {
			select {
			case underWay <- struct{}{}:
			case <-ctx.Done():
				return
			}
			select {
			case todo <- part:
			case <-ctx.Done():
				return
			}
		}
	})
	for range p.mergers {
		running.Go(func() {
			sources := allSources(p.tables, ioBytes(p.tables)/2/p.mergers)
			for part := range todo {
				part.merge(ctx, sources, spare)
			}
		})
	}
	for _, part := range p.parts {
		if err := part.yield(ctx, len(p.tables[0].layout.Init), spare, yield); err != nil {
			return err
		}
		<-underWay
	}
	return nil
}

// yield yields the groups of the part's chunks.
func (p part) yield(ctx context.Context, width int, spare chan chunk,
	yield func(key []byte, words []uint64, store ObjectStore) error) error {
	for {
		var c chunk
		var ok bool
		select {
		case c, ok = <-p.chunks:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if !ok && ctx.Err() != nil {
			return context.Cause(ctx) // the merger may have stopped before the end of the part
		}
		if !ok || c.err != nil {
			return c.err
		}
		from := 0
		for i, to := range c.ends {
			if err := yield(c.keys[from:to:to], c.words[i*width:(i+1)*width:(i+1)*width], nil); err != nil {
				return err
			}
			from = to
		}
		select {
		case spare <- c:
		default:
		}
	}
}

// merge merges the keys of the part from all sources, and sends the groups in chunks.
func (p part) merge(ctx context.Context, sources []*source, spare chan chunk) {
	defer close(p.chunks)
	send := func(c chunk) bool {
		select {
		case p.chunks <- c:
			return true
		case <-ctx.Done():
			return false
		}
	}
	layout := sources[0].table.layout
	m := &merger{layout: layout, words: make([]uint64, layout.Words)}
	for _, s := range sources {
		ok, err := s.restrict(p.from, p.to)
		if err != nil {
			send(chunk{err: err})
			return
		}
		if ok {
			m.push(s)
		}
	}
	m.order()
	for {
		var c chunk
		select {
		case c = <-spare:
		default:
		}
		more, err := m.fill(&c, p.to)
		if err != nil {
			send(chunk{err: err})
			return
		}
		if !send(c) || !more {
			return
		}
	}
}

// fill fills a chunk with groups whose keys are less than to, and reports whether there may be
// more such groups.
func (m *merger) fill(c *chunk, to []byte) (more bool, err error) {
	c.keys, c.ends, c.words = c.keys[:0], c.ends[:0], c.words[:0]
	for chunkBytes := chunkBytes.Get(); len(c.keys)+8*(len(c.ends)+len(c.words)) < chunkBytes; {
		ok, err := m.next(to)
		if !ok {
			return false, err
		}
		c.keys = append(c.keys, m.key...)
		c.ends = append(c.ends, len(c.keys))
		c.words = append(c.words, m.words...)
	}
	return true, nil
}
