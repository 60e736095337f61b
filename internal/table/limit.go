package table

import "github.com/thresh-dev/thresh/internal/table/order"

// LeastBytes returns the least part of Options.MemBytes that a worker needs.
func (r *Run) LeastBytes() (n int64) {
	for _, a := range r.query.Groups {
		least := a.LeastBytes()
		if n += least; a.Order != nil {
			n += max(least/(sortShare-1), order.LeastBytes())
		}
	}
	if r.query.Sorted != nil || len(r.samples)+len(r.query.Nth) > 0 {
		n += leastRecords
	}
	if r.query.Streams() {
		n += printedShare * printedLeast
	}
	return n
}

// leastRecords is the least memory for records that are kept.
const leastRecords = 1 << 20

// Limit sets the number of workers, and the memory for what they keep. It may follow the first Input.
func (r *Run) Limit(workers int, memBytes int64) {
	r.options.Workers, r.options.MemBytes = workers, memBytes
}

// much returns the number of bytes that a worker formats before it waits for its turn to print them.
func (r *Run) much() int {
	share := r.options.MemBytes / int64(max(1, r.options.Workers)) / printedShare
	return int(min(int64(printedBytes.Get()), max(share, printedLeast)))
}

const (
	printedShare = 3 // bytes in memory for each that waits: slices grow
	printedLeast = 256 << 10
)
