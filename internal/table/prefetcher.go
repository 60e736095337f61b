package table

import (
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/table/prefetch"
)

// prefetcher requests the text of the next chunk while the current chunk is processed. A
// processor accepts only a few requests at a time. So the requests are made between the stages
// of the work, in equal portions: as many as there were calls of fetch in the chunk before.
type prefetcher struct {
	text    []byte
	portion int // bytes per call of fetch
	places  int // calls of fetch in this chunk
}

// begin begins a chunk. text is the text after the chunk.
func (f *prefetcher) begin(text []byte) {
	f.text = text[:min(len(text), fields.ChunkBytes)]
	lines := fields.ChunkBytes / prefetch.LineBytes
	f.portion = (lines/max(1, f.places) + 1) * prefetch.LineBytes
	f.places = 0
}

// fetch requests a portion.
func (f *prefetcher) fetch() {
	f.places++
	if n := min(len(f.text), f.portion); n > 0 {
		prefetch.Lines(f.text[:n])
		f.text = f.text[n:]
	}
}
