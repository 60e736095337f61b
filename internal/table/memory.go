package table

import "github.com/thresh-dev/thresh/internal/kernel/fields/records"

// shares divides the memory limit of one worker and answer, in bytes: for the table of groups
// with their objects, and for each table of pairs by its weight.
type shares struct{ groups, part int64 }

// pairs returns the share of a table of pairs.
func (s shares) pairs(weight int64) int64 { return max(s.part*weight, leastTable(1)) }

// Weights of the tables. Without keys there is one group, which needs little memory except for
// its objects.
const (
	weightUsual = 8
	weightLow   = 1
)

// shares divides the memory for one worker and answer by weight among tables. But every table gets at least its
// minimum, which is small.
func (s *state) shares(bytes int64) (d shares) {
	d.groups = weightLow
	if s.parts > 0 || len(s.handles) > 0 {
		d.groups = weightUsual
	}
	sum := d.groups
	for _, o := range s.objects {
		if p, ok := o.(paired); ok {
			weight, _ := p.pairing()
			sum += weight
		}
	}
	d.part = bytes / sum
	d.groups = max(d.part*d.groups, leastTable(s.words))
	return d
}

// LeastBytes returns the least part of Options.MemBytes that a worker needs.
func (r *Run) LeastBytes() (n int64) {
	for _, a := range r.groups {
		n += leastTable(a.words)
		for _, o := range a.objects {
			if _, ok := o.(paired); ok {
				n += leastTable(1)
			}
		}
	}
	if r.sorted != nil || len(r.samples)+len(r.nth) > 0 {
		n += leastRecords
	}
	if r.streams() {
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

// leastTable returns the minimum memory of a table of groups with that many words.
func leastTable(words int) int64 { return int64(leastBytes + leastGroups*8*(words+8)) }

const (
	leastBytes  = 192 << 10
	leastGroups = records.Max + 128
)
