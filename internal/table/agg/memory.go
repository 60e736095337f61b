package agg

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
func (s *State) shares(bytes int64) (d shares) {
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

// GroupBytes returns how much of the memory for one worker and answer its groups may take.
func (s *State) GroupBytes(bytes int64) int64 { return s.shares(bytes).groups }

// LeastBytes returns the least memory for one worker and answer.
func (s *State) LeastBytes() (n int64) {
	n = leastTable(s.words)
	for _, o := range s.objects {
		if _, ok := o.(paired); ok {
			n += leastTable(1)
		}
	}
	return n
}

// leastTable returns the minimum memory of a table of groups with that many words.
func leastTable(words int) int64 { return int64(leastBytes + leastGroups*8*(words+8)) }

const (
	leastBytes  = 192 << 10
	leastGroups = records.Max + 128
)
