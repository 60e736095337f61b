package scan

import (
	"slices"
	"testing"

	"github.com/thresh-dev/thresh/answer"
)

// TestFilter keeps hits in batches of all sizes as one loop over all of them would.
func TestFilter(t *testing.T) {
	hits := []answer.Hit{{Off: 0, Len: 2}, {Off: 1, Len: 2}, {Off: 2, Len: 2}, {Off: 3, Len: 1}, {Off: 4, Len: 0},
		{Off: 4, Len: 3}, {Off: 5, Len: 1}, {Off: 9, Len: 1}, {Off: 10, Len: 1}}
	for _, disjoint := range []bool{false, true} {
		for limit := range int64(len(hits) + 2) {
			var want []answer.Hit
			end := int64(1) // the first hit begins before the range
			for _, h := range hits {
				if disjoint && h.Off < end || limit > 0 && int64(len(want)) == limit {
					continue
				}
				want, end = append(want, h), h.Off+h.Len
			}
			for batch := 1; batch <= len(hits); batch++ {
				f := Filter{Disjoint: disjoint, Limit: limit, End: 1}
				var got []answer.Hit
				for part := range slices.Chunk(hits, batch) {
					got = append(got, f.Keep(slices.Clone(part))...)
				}
				if !slices.Equal(got, want) || f.Kept != int64(len(want)) || f.Full() != (limit > 0 && f.Kept == limit) {
					t.Errorf("disjoint %v, limit %d, batches of %d: %v, want %v", disjoint, limit, batch, got, want)
				}
			}
		}
	}
}

// TestEmitGetsHits: a batch of which no hit counts is not emitted.
func TestEmitGetsHits(t *testing.T) {
	l := newLedger(Job{Disjoint: true, Emit: func(hits []answer.Hit) error {
		if len(hits) == 0 {
			t.Error("no hits were emitted")
		}
		return nil
	}})
	l.emit([]answer.Hit{{Off: 0, Len: 10}})
	l.emit([]answer.Hit{{Off: 3, Len: 2}})
	l.emit([]answer.Hit{{Off: 12, Len: 2}})
	if l.emitted.Kept != 2 {
		t.Errorf("%d hits, not 2", l.emitted.Kept)
	}
}
