package table

import (
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/table/prefetch"
)

// ahead brings in the text of the chunk to come while the one in hand is worked on. A
// processor takes few requests at a time, so that they are made between the stages of the
// work, in equal portions: as many as the chunk before had places to make them.
type ahead struct {
	text    []byte
	portion int // bytes a place
	places  int // so far in this chunk
}

// begin begins a chunk. Text begins with what follows it.
func (a *ahead) begin(text []byte) {
	a.text = text[:min(len(text), fields.ChunkBytes)]
	lines := fields.ChunkBytes / prefetch.LineBytes
	a.portion = (lines/max(1, a.places) + 1) * prefetch.LineBytes
	a.places = 0
}

// fetch asks for a portion.
func (a *ahead) fetch() {
	a.places++
	if n := min(len(a.text), a.portion); n > 0 {
		prefetch.Lines(a.text[:n])
		a.text = a.text[n:]
	}
}
