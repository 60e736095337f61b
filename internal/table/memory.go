package table

import "github.com/thresh-dev/thresh/internal/kernel/fields/records"

// shares are the parts of the memory bound that one worker has for one answer, in bytes: the
// table of groups and their objects, and each table of distinct texts and of other numbers.
type shares struct{ groups, texts, others int64 }

// Weights of the tables. Without keys there is one group, which takes nothing to speak of but
// for its objects; and there are hardly ever other numbers.
const (
	weightUsual = 8
	weightLow   = 1
)

// shares splits an equal share of the bound for a worker and answer: but each table gets what
// it needs at least, which is little.
func (r *Run) shares(a *groupAnswer) (s shares) {
	s.groups, s.texts, s.others = weightLow, weightUsual, weightLow
	if len(a.keys) > 0 || len(a.handles) > 0 {
		s.groups = weightUsual
	}
	sum := s.groups
	for i := range a.objects {
		switch a.objects[i].function {
		case distinct:
			sum += s.texts
		case quantile:
			sum += s.others
		}
	}
	part := r.options.MemBytes / int64(max(1, r.options.Workers)*len(r.groups)) / sum
	s.groups = max(part*s.groups, leastTable(a.words))
	s.texts = max(part*s.texts, leastTable(1))
	s.others = max(part*s.others, leastTable(1))
	return s
}

// leastTable is what a table of groups of so many words needs at least.
func leastTable(words int) int64 { return int64(leastBytes + leastGroups*8*(words+8)) }

const (
	leastBytes  = 192 << 10
	leastGroups = records.Max + 128
)
