package count

import (
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/question"
)

// Lines returns a counter of lines: line feeds, plus one if the last line has none.
func Lines() *Counter {
	c := bytesWhere(question.Equal, '\n')
	feeds := c.begin
	c.begin = func(r *Run) func() partial {
		count := feeds(r)
		return func() partial { return &lines{partial: count()} }
	}
	c.finish = func(r *Result) {
		if r.last.end > 0 && r.last.value != '\n' {
			r.Count++
		}
	}
	return c
}

// lines counts line feeds and keeps the last byte.
type lines struct {
	partial
	last lastByte
}

func (t *lines) add(b engine.Block) {
	last := lastOf(b)
	t.partial.add(b)
	t.last.see(last)
}

func (t *lines) hole(r source.Range) { t.last.see(lastByte{end: r.End}) }

func (t *lines) sum(into *Result) error {
	into.last.see(t.last)
	return t.partial.sum(into)
}

// lastByte is the last byte of the input among those seen. Its end is 0 before the first.
type lastByte struct {
	end   int64 // the offset after it
	value byte
}

func lastOf(b engine.Block) lastByte { return lastByte{b.Off + int64(b.Len), b.Data[b.Len-1]} }

func (l *lastByte) see(other lastByte) {
	if other.end > l.end {
		*l = other
	}
}
