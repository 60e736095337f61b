package scan

import (
	"maps"
	"slices"
	"sync"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// Composable is the sum of a range for every state that the range may begin in. Then is
// the sum of two ranges, one behind the other; it is associative.
type Composable[T any] interface{ Then(T) T }

// Order composes the sums of ranges in file order, whatever the order in which they come.
// It keeps one sum for each stretch of neighbours, so few at a time: about as many as there
// are workers, unless something could not be read.
type Order[T Composable[T]] struct {
	mu           sync.Mutex
	begins, ends map[int64]*stretch[T]
}

type stretch[T any] struct {
	source.Range
	sum T
}

// NewOrder returns an order of no ranges.
func NewOrder[T Composable[T]]() *Order[T] {
	return &Order[T]{begins: map[int64]*stretch[T]{}, ends: map[int64]*stretch[T]{}}
}

// Add adds the sum of a range. It is safe for concurrent use.
func (o *Order[T]) Add(r source.Range, sum T) {
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

func (o *Order[T]) remove(s *stretch[T]) {
	delete(o.begins, s.Off)
	delete(o.ends, s.End)
}

// Stretches returns the sums in file order: one, unless something could not be read.
func (o *Order[T]) Stretches() (out []T) {
	for _, off := range slices.Sorted(maps.Keys(o.begins)) {
		out = append(out, o.begins[off].sum)
	}
	return out
}
