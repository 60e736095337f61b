package table

import (
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/table/prefetch"
)

// prefetcher brings in the text of the chunk to come while the one in hand is worked on. A
// processor takes few requests at a time, so that they are made between the stages of the
// work, in equal portions: as many as the chunk before had places to make them.
type prefetcher struct {
	text    []byte
	portion int // bytes a place
	places  int // so far in this chunk
}

// begin begins a chunk. Text begins with what follows it.
func (f *prefetcher) begin(text []byte) {
	f.text = text[:min(len(text), fields.ChunkBytes)]
	lines := fields.ChunkBytes / prefetch.LineBytes
	f.portion = (lines/max(1, f.places) + 1) * prefetch.LineBytes
	f.places = 0
}

// fetch asks for a portion.
func (f *prefetcher) fetch() {
	f.places++
	if n := min(len(f.text), f.portion); n > 0 {
		prefetch.Lines(f.text[:n])
		f.text = f.text[n:]
	}
}
