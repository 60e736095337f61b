package group

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// TestEachAfterAnySteps takes what a table does by itself when it is full at any time instead, in any order, with sizes
// of all kinds, and single lookups in between.
func TestEachAfterAnySteps(t *testing.T) {
	sizes := map[*threshold.Size]int{chunkRoom: 10, partsBits: 9, frontShare: 16, poolShare: 16, directRounds: 16,
		groupsMax: 1 << 14, segmentBytes: 9 << 10, writesMost: 9 << 10, codesMost: noShape}
	t.Cleanup(func() {
		for size := range sizes {
			size.Set(size.Real())
		}
	})
	for seed := range uint64(rounds.Of(200)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(19, seed))
			for size, most := range sizes {
				size.Set(size.Real())
				if r.IntN(2) == 0 {
					size.Set(1 + r.IntN(most))
				}
			}
			chunkRoom.Set(16 << r.IntN(10))
			anySteps(t, r)
		})
	}
}

func anySteps(t *testing.T, r *rand.Rand) {
	t.Helper()
	different, lengthMax, objects := 1+r.IntN(1<<r.IntN(15)), 1+r.IntN(20)*r.IntN(20), r.IntN(3) == 0
	memBytes, secret := int64(256<<10)<<r.IntN(4), r.Uint64()
	tables := make([]*Table, 1+r.IntN(4))
	for i := range tables {
		tables[i] = newAnyOrder(t, memBytes, objects, secret)
		if objects && r.IntN(3) == 0 {
			tables[i].layout.Store.(*listStore).weight = int64(r.IntN(1 << 12))
		}
	}
	var keys []string
	more := func(n int) []string {
		from := len(keys)
		for range n {
			i := r.IntN(different)
			keys = append(keys, fmt.Sprintf("%0*d", i%lengthMax, i))
		}
		return keys[from:]
	}
	for range 1 + r.IntN(60) {
		table := tables[r.IntN(len(tables))]
		number := uint64(len(keys))
		s := table.parts
		var err error
		switch step := r.IntN(16); {
		case s == nil || step < 8:
			err = enter(table, more(1+r.IntN(1<<(1+r.IntN(12)))), number, r.IntN(2)*64)
		case step == 8:
			s.direct = int64(r.IntN(5000))
		case step == 9:
			s.keep = r.IntN(2) == 0
		case step == 10:
			err = s.flush(1 + r.IntN(s.chunks()+1))
		case step == 11:
			err = table.scatter()
		case step == 12:
			err = table.scatterAll()
		case step == 13:
			if err = table.scatter(); err == nil {
				err = table.economize()
			}
		case step == 14 && table.groups > 0:
			err = table.overflow(records.Max, 0)
		case !objects:
			err = feed(table, more(1+r.IntN(300)), number)
		}
		if err != nil {
			t.Fatal(err)
		}
		if s != nil {
			wholeRecords(t, s)
			disjointChunks(t, table)
		}
	}
	equal(t, visited(t, tables, 1+r.IntN(5)), wanted(keys, objects))
}

// disjointChunks checks that each chunk is in one place: free, or one partition's.
func disjointChunks(t *testing.T, table *Table) {
	t.Helper()
	s := table.parts
	at := map[int]bool{}
	take := func(chunks []int) {
		for _, c := range chunks {
			if at[c] || c < s.front || c < len(table.laid) || c >= s.unused || c+s.chunk > len(s.pool)-poolSlack {
				t.Fatalf("chunk %d is in two places, or in none: the table has %d bytes, %d are used", c, len(table.laid), s.unused)
			}
			at[c] = true
		}
	}
	take(s.free)
	for _, p := range s.parts {
		take(p.chunks)
	}
	if (s.unused-s.first)/s.chunk != len(at) {
		t.Fatalf("%d chunks between %d and %d", len(at), s.first, s.unused)
	}
}
