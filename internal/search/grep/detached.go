package grep

import (
	"bytes"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// part is what a block adds to the answer.
type part struct {
	off, end int64
	head     []byte // the end of the line that began in a block before; empty if no line ends in this one
	text     text   // the whole lines
	tail     []byte // the beginning of the line that continues in the next block
	found    *found // in the whole lines
	// Of a detached part with context, text is only the first lines, and behind the last ones, which are context
	// of other blocks. Skipped is how many lines there are between the two, and in behind, if lines are numbered.
	behind  text
	skipped int64
}

// Workers need not wait for each other where little of a block is printed: a worker whose turn has not come copies
// that, and takes the next block. The copy is printed by the worker that has the printer next.
//
//	worker 1   [search block 0                    ][print 0, 1 and 2]
//	worker 2   [search 1][copy][search 2][copy][search 3            ][print 3]
//
// So a worker that the system does not run for a while does not hold up the others.

// detachedBytes is how much of what was found may wait for blocks before it, of all workers together.
var detachedBytes = threshold.New("grep: bytes found that wait for a block before them", 4<<20, 1)

// detachable reports whether the selected lines of a block suffice to print it, or its edges if there are none, and
// are few. The context, the offsets and the times of selected lines need the whole text, and lines with zero bytes the
// place of the first one. To copy many lines would take longer than to wait.
func (w *worker) detachable(b part, cost int64) bool {
	const fewShare = 8
	switch f := b.found; {
	case w.Mode == Each || len(f.lost) > 0 || f.nul >= 0 || f.upTo < len(b.text.data):
		return false
	case cost > 2*partBytes+(b.end-b.off)/fewShare:
		return false
	case w.Mode != Print || w.stretches:
		return true
	}
	plain := w.Before+w.After == 0 && !w.Offsets && !w.JSON && w.Rewrite == nil
	return !w.Invert && (plain || len(b.found.hits) == 0)
}

// partBytes is what a detached part takes besides its bytes, about; it bounds their number, too.
const partBytes = 4 << 10

// cost returns about how much memory a copy of a part takes.
func (w *worker) cost(b part) int64 {
	const hitBytes, spanBytes = 32, 16
	n := partBytes + len(b.head) + len(b.tail) + hitBytes*len(b.found.hits) + spanBytes*len(b.found.spans)
	for _, h := range b.found.hits {
		n += h.end - h.start
	}
	first, last := w.edges(b.text.data)
	return int64(n + first + len(b.text.data) - last)
}

// edges returns where the lines at the start of a text end that may be context of what is before it, and where the
// lines at its end begin that may be context of what is behind it.
func (w *worker) edges(data []byte) (first, last int) {
	last = len(data)
	if w.Mode != Print {
		return first, last
	}
	for n := w.After; n > 0 && first < len(data); n-- {
		first += bytes.IndexByte(data[first:], '\n') + 1
	}
	for n := w.Before; n > 0 && first < last; n-- {
		last = first + bytes.LastIndexByte(data[first:last-1], '\n') + 1
	}
	return first, last
}

// detached is a part that needs nothing of its block: its whole lines are the selected ones.
type detached struct {
	part
	found found
	bytes []byte // of the head, the lines and the tail
	cost  int64  // what it takes of detachedBytes
}

// detach copies a part.
func (w *worker) detach(b part, cost int64) *detached {
	d, ok := w.spare.Get().(*detached)
	if !ok {
		d = &detached{}
	}
	hits, spans := d.found.hits[:0], append(d.found.spans[:0], b.found.spans...)
	d.part, d.found, d.cost = b, *b.found, cost
	d.bytes = append(d.bytes[:0], b.head...)
	first := len(d.bytes)
	for _, h := range b.found.hits {
		start := len(d.bytes) - first
		d.bytes = append(d.bytes, b.text.data[h.start:h.end]...)
		if !w.stretches || len(hits) == 0 {
			hits = append(hits, hit{start: start, num: h.num, spans: h.spans})
		}
		hits[len(hits)-1].end = len(d.bytes) - first
	}
	edge, rest := w.edges(b.text.data)
	d.bytes = append(d.bytes, b.text.data[:edge]...)
	behind := len(d.bytes)
	d.bytes = append(d.bytes, b.text.data[rest:]...)
	last := len(d.bytes)
	d.bytes = append(d.bytes, b.tail...)
	d.head, d.text.data, d.tail = d.bytes[:first], d.bytes[first:behind], d.bytes[last:]
	d.behind = text{d.bytes[behind:last], b.text.off + int64(rest)}
	d.found.hits, d.found.spans, d.found.lost, d.found.upTo = hits, spans, nil, behind-first
	if w.numbered() && w.Before+w.After > 0 {
		d.found.feeds = int64(bytes.Count(d.text.data, feed))
		d.skipped = b.found.feeds - d.found.feeds
	}
	d.part.found = &d.found
	return d
}

// print prints a detached part by the worker that has the printer.
func (d *detached) print(p *printer) {
	w, end := p.by, d.end
	err := w.print(p, d.part)
	w.detached.Add(-d.cost)
	w.spare.Put(d)
	w.handOn(p, err, end)
}
