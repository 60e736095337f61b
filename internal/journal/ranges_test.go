package journal

import (
	"fmt"
	"math/rand/v2"

	"slices"
	"testing"
)

// TestRangesCompose cuts sequences of sectors into pieces at random, and joins the pieces two by two
// in random order: the result is that of adding all sectors in order, whatever the limit.
func TestRangesCompose(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 0))
		n, limit := 1+r.IntN(40), 1+r.IntN(6)
		parts := []Summary{{}}
		var want []Span
		for i := range int64(n) {
			s := Span{Off: i, Len: 1, Why: []string{"", "a", "b"}[r.IntN(3)]}
			last := &parts[len(parts)-1]
			last.End = i + 1
			if r.IntN(3) > 0 {
				last.Unread.Add(s, limit)
				if len(want) > 0 && s.follows(want[len(want)-1]) {
					want[len(want)-1].Len++
				} else {
					want = append(want, s)
				}
			}
			if r.IntN(3) == 0 {
				parts = append(parts, Summary{Off: i + 1, End: i + 1})
			}
		}
		for len(parts) > 1 {
			i := r.IntN(len(parts) - 1)
			parts[i].Join(parts[i+1].Clone(), limit)
			parts = slices.Delete(parts, i+1, i+2)
		}
		got := parts[0].Unread
		bytes := int64(0)
		for _, s := range want {
			bytes += s.Len
		}
		if got.Count != int64(len(want)) || got.Bytes != bytes || !slices.Equal(got.List, want[:min(limit, len(want))]) ||
			len(want) > 0 && got.Last != want[len(want)-1] {
			t.Fatalf("seed %d, limit %d: %+v, want %d bytes in %v", seed, limit, got, bytes, want)
		}
	}
}

// TestLargerLimit: a list that was full stays the beginning of all ranges when a resumed run has a larger limit.
func TestLargerLimit(t *testing.T) {
	var r Ranges
	for i := range int64(6) {
		r.Add(Span{Off: 10 * i, Len: 1}, 2+int(i/4)*9)
	}
	if want := []Span{{Off: 0, Len: 1}, {Off: 10, Len: 1}}; r.Count != 6 || !slices.Equal(r.List, want) {
		t.Errorf("%+v, want %v and 4 more", r, want)
	}
}

// TestTracker adds pieces in random order and takes records meanwhile: the records, composed, are
// what the tracker has, and no more islands wait than pieces are in work.
func TestTracker(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		limit, workers := 1+r.IntN(5), 1+r.IntN(4)
		const off, n = 1000, 60
		tracker := NewTracker(Summary{Off: off, End: off}, limit)
		var want Summary
		want.Off, want.End = off, off
		replayed := want
		next := int64(off)
		var working []Summary
		for next < off+n || len(working) > 0 {
			if next < off+n && len(working) < workers {
				s := Summary{Off: next, End: next + 1, Read: 1}
				if r.IntN(2) == 0 {
					s.First = &s.Off
					s.Other.Add(Span{Off: next, Len: 1}, limit)
				}
				working = append(working, s)
				want.Join(s.Clone(), limit)
				next++
				continue
			}
			i := r.IntN(len(working))
			tracker.Add(working[i])
			working = slices.Delete(working, i, i+1)
			if len(tracker.islands) > workers {
				t.Fatalf("%d islands with %d workers", len(tracker.islands), workers)
			}
			if r.IntN(3) == 0 {
				replayed.Join(tracker.Take(), limit)
			}
		}
		replayed.Join(tracker.Take(), limit)
		for what, got := range map[string]Summary{"tracker": tracker.Sofar(), "records": replayed} {
			if fmt.Sprintf("%+v", withoutPointer(got)) != fmt.Sprintf("%+v", withoutPointer(want)) {
				t.Fatalf("seed %d: %s: %+v, want %+v", seed, what, got, want)
			}
		}
	}
}

// withoutPointer makes summaries comparable as text.
func withoutPointer(s Summary) any {
	first := int64(-1)
	if s.First != nil {
		first = *s.First
	}
	s.First = nil
	if len(s.Other.List) == 0 {
		s.Other.List = nil
	}
	if len(s.Unread.List) == 0 {
		s.Unread.List = nil
	}
	return []any{first, s}
}
