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

// shares divides the memory limit equally among workers and answers, and each share by weight
// among tables. But every table gets at least its minimum, which is small.
func (r *Run) shares(a *groupAnswer) (s shares) {
	s.groups = weightLow
	if len(a.keys) > 0 || len(a.handles) > 0 {
		s.groups = weightUsual
	}
	sum := s.groups
	for _, o := range a.objects {
		if p, ok := o.(paired); ok {
			weight, _ := p.pairing()
			sum += weight
		}
	}
	s.part = r.options.MemBytes / int64(max(1, r.options.Workers)*len(r.groups)) / sum
	s.groups = max(s.part*s.groups, leastTable(a.words))
	return s
}

// leastTable returns the minimum memory of a table of groups with that many words.
func leastTable(words int) int64 { return int64(leastBytes + leastGroups*8*(words+8)) }

const (
	leastBytes  = 192 << 10
	leastGroups = records.Max + 128
)
