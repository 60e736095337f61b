package scan

import (
	"maps"
	"slices"
	"sync"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// Composable is the summary of a range, for every state that the range may begin in. x.Then(y)
// is the summary of x's range followed by y's. It is associative.
type Composable[T any] interface{ Then(T) T }

// Order composes the summaries of ranges in file order, although they are added in any order.
// It keeps one summary for each stretch of adjacent ranges. That is about as many as there are
// workers, unless parts of the input could not be read.
type Order[T Composable[T]] struct {
	mu           sync.Mutex
	begins, ends map[int64]*stretch[T]
}

type stretch[T any] struct {
	source.Range
	summary T
}

// NewOrder returns an Order without ranges.
func NewOrder[T Composable[T]]() *Order[T] {
	return &Order[T]{begins: map[int64]*stretch[T]{}, ends: map[int64]*stretch[T]{}}
}

// Add adds the summary of a range. It is safe for concurrent use.
func (o *Order[T]) Add(r source.Range, summary T) {
	o.mu.Lock()
	defer o.mu.Unlock()
	next := &stretch[T]{r, summary}
	if before, ok := o.ends[r.Off]; ok {
		o.remove(before)
		next.Off, next.summary = before.Off, before.summary.Then(next.summary)
	}
	if behind, ok := o.begins[r.End]; ok {
		o.remove(behind)
		next.End, next.summary = behind.End, next.summary.Then(behind.summary)
	}
	o.begins[next.Off], o.ends[next.End] = next, next
}

func (o *Order[T]) remove(s *stretch[T]) {
	delete(o.begins, s.Off)
	delete(o.ends, s.End)
}

// Stretches returns the summaries in file order: one, unless parts of the input could not be
// read.
func (o *Order[T]) Stretches() (out []T) {
	for _, off := range slices.Sorted(maps.Keys(o.begins)) {
		out = append(out, o.begins[off].summary)
	}
	return out
}
