// Package prefetch requests memory from the processor before it is needed.
//
// The hardware prefetcher predicts what a loop will read next, but not across page boundaries.
// So a loop that does little work per cache line stalls at the first lines of every page. Lines
// that are requested during other work have arrived by then.
package prefetch

// LineBytes is the size of a cache line.
const LineBytes = 64

// Lines prefetches p into the core's second-level cache, LineBytes after LineBytes from its
// first byte on. It reads nothing and cannot fault: a request for memory that is not there is
// dropped. A processor keeps about ten requests in flight and stalls on more, so request few
// lines, often.
func Lines(p []byte) { lines(p) }
