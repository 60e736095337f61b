package table

import "github.com/thresh-dev/thresh/internal/kernel/fields/records"

// shares divides the memory limit of one worker and answer, in bytes: for the table of groups
// with their objects, for each table of distinct texts, and for each table of other numbers.
type shares struct{ groups, texts, others int64 }

// Weights of the tables. Without keys there is one group, which needs little memory except for
// its objects. Other numbers are rare.
const (
	weightUsual = 8
	weightLow   = 1
)

// shares divides the memory limit equally among workers and answers, and each share by weight
// among tables. But every table gets at least its minimum, which is small.
func (r *Run) shares(a *groupAnswer) (s shares) {
	s.groups, s.texts, s.others = weightLow, weightUsual, weightLow
	if len(a.keys) > 0 || len(a.handles) > 0 {
		s.groups = weightUsual
	}
	sum := s.groups
	for i := range a.objects {
		switch a.objects[i].function {
		case distinct, mode:
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

// leastTable returns the minimum memory of a table of groups with that many words.
func leastTable(words int) int64 { return int64(leastBytes + leastGroups*8*(words+8)) }

const (
	leastBytes  = 192 << 10
	leastGroups = records.Max + 128
)
