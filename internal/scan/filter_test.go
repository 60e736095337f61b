package scan

import (
	"slices"
	"testing"
)

// TestFilter keeps hits in batches of all sizes as one loop over all of them would.
func TestFilter(t *testing.T) {
	hits := []Hit{{0, 2}, {1, 2}, {2, 2}, {3, 1}, {4, 0}, {4, 3}, {5, 1}, {9, 1}, {10, 1}}
	for _, disjoint := range []bool{false, true} {
		for limit := range int64(len(hits) + 2) {
			var want []Hit
			end := int64(1) // the first hit begins before the range
			for _, h := range hits {
				if disjoint && h.Off < end || limit > 0 && int64(len(want)) == limit {
					continue
				}
				want, end = append(want, h), h.Off+h.Len
			}
			for batch := 1; batch <= len(hits); batch++ {
				f := Filter{Disjoint: disjoint, Limit: limit, End: 1}
				var got []Hit
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
	l := newLedger(Job{Disjoint: true, Emit: func(hits []Hit) error {
		if len(hits) == 0 {
			t.Error("no hits were emitted")
		}
		return nil
	}})
	l.emit([]Hit{{0, 10}})
	l.emit([]Hit{{3, 2}})
	l.emit([]Hit{{12, 2}})
	if l.emitted.Kept != 2 {
		t.Errorf("%d hits, not 2", l.emitted.Kept)
	}
}
