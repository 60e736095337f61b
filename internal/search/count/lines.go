package count

import (
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
)

// Lines returns the counter of line feeds, plus one for a last line without.
func Lines() *Counter {
	c := bytesThat(compare.Equal, '\n')
	feeds := c.begin
	c.begin = func(r *Run) func() tally {
		count := feeds(r)
		return func() tally { return &lines{tally: count()} }
	}
	c.finish = func(r *Result) {
		if r.last.end > 0 && r.last.value != '\n' {
			r.Count++
		}
	}
	return c
}

// lines counts line feeds and remembers the last byte.
type lines struct {
	tally
	last lastByte
}

func (t *lines) add(b engine.Block) {
	last := lastOf(b)
	t.tally.add(b)
	t.last.see(last)
}

func (t *lines) hole(r source.Range) { t.last.see(lastByte{end: r.End}) }

func (t *lines) sum(into *Result) error {
	into.last.see(t.last)
	return t.tally.sum(into)
}

// lastByte is the byte that is furthest behind, of those seen; end 0 when none was.
type lastByte struct {
	end   int64 // the offset behind it
	value byte
}

func lastOf(b engine.Block) lastByte { return lastByte{b.Off + int64(b.Len), b.Data[b.Len-1]} }

func (l *lastByte) see(other lastByte) {
	if other.end > l.end {
		*l = other
	}
}
