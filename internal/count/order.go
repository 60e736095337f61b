package count

import (
	"maps"
	"slices"
	"sync"

	"github.com/thresh-dev/thresh/internal/source"
)

// composable is the sum of a range for every state that the range may begin in. Then is
// the sum of two ranges, one behind the other; it is associative.
type composable[T any] interface{ Then(T) T }

// order composes the sums of ranges in file order, whatever the order in which they come.
// It keeps one sum for each stretch of neighbours, so few at a time: about as many as there
// are workers, unless something could not be read.
type order[T composable[T]] struct {
	mu           sync.Mutex
	begins, ends map[int64]*stretch[T]
}

type stretch[T any] struct {
	source.Range
	sum T
}

func newOrder[T composable[T]]() *order[T] {
	return &order[T]{begins: map[int64]*stretch[T]{}, ends: map[int64]*stretch[T]{}}
}

func (o *order[T]) add(r source.Range, sum T) {
	o.mu.Lock()
	defer o.mu.Unlock()
	next := &stretch[T]{r, sum}
	if before, ok := o.ends[r.Off]; ok {
		o.remove(before)
		next.Off, next.sum = before.Off, before.sum.Then(next.sum)
	}
	if behind, ok := o.begins[r.End]; ok {
		o.remove(behind)
		next.End, next.sum = behind.End, next.sum.Then(behind.sum)
	}
	o.begins[next.Off], o.ends[next.End] = next, next
}

func (o *order[T]) remove(s *stretch[T]) {
	delete(o.begins, s.Off)
	delete(o.ends, s.End)
}

// stretches returns the sums in file order: one, unless something could not be read.
func (o *order[T]) stretches() (out []T) {
	for _, off := range slices.Sorted(maps.Keys(o.begins)) {
		out = append(out, o.begins[off].sum)
	}
	return out
}
