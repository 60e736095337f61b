package group

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// newAnyOrder returns a table in any order.
func newAnyOrder(t testing.TB, memBytes int64, objects bool, seed uint64) *Table {
	t.Helper()
	o := newTable(t, memBytes, objects)
	table, err := New(Options{Layout: o.layout, MemBytes: memBytes, TempDir: o.tempDir, Seed: seed, AnyOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	})
	return table
}

// enter adds keys to a table, in batches, and checks its memory. Few of the keys have objects.
func enter(table *Table, keys []string, number uint64, slack int) error {
	ids := make([]uint32, records.Max)
	for len(keys) > 0 {
		n, size := 0, 0
		for n < min(len(keys), records.Max) && (n == 0 || size+len(keys[n]) < 32<<10) {
			size += len(keys[n])
			n++
		}
		text, column, sel := batch(keys[:n])
		text = slices.Clip(append(text, make([]byte, slack)...))[:len(text)]
		if err := table.Enter(text, column, sel, ids); err != nil {
			return err
		}
		for j, words := 0, table.States(); j < n; j++ {
			w := words[ids[j]:][:table.layout.Words]
			w[wordCount]++
			w[wordMin] = min(w[wordMin], number)
			w[wordMax] = max(w[wordMax], number)
			if len(w) > wordList && number%3 == 0 {
				w[wordList] = table.layout.Store.(*listStore).add(w[wordList], number)
			}
			number++
		}
		if err := table.Leave(text, column, sel); err != nil {
			return err
		}
		if used := table.usedBytes() + int64(table.ioBytes); used > table.memBytes {
			return fmt.Errorf("%d bytes are used, of %d", used, table.memBytes)
		}
		keys = keys[n:]
	}
	return nil
}

// visited returns what Each visits, and checks that it visits no key twice.
func visited(t testing.TB, tables []*Table, workers int) map[string]answer {
	t.Helper()
	got := map[string]answer{}
	var mu sync.Mutex
	err := Each(context.Background(), tables, workers, func() Visit {
		return func(key []byte, words []uint64, store ObjectStore) error {
			mu.Lock()
			defer mu.Unlock()
			if _, ok := got[string(key)]; ok {
				return fmt.Errorf("%.40q is visited twice", key)
			}
			a := answer{count: words[wordCount], min: words[wordMin], max: words[wordMax]}
			if len(words) > wordList && words[wordList] > 0 {
				l := slices.Clone(store.(*listStore).lists[words[wordList]-1])
				slices.Sort(l)
				a.list = fmt.Sprint(l)
			}
			got[string(key)] = a
			return nil
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// wanted is the answer of the standard library to what enter adds.
func wanted(keys []string, objects bool) map[string]answer {
	m, lists := want(keys, false), map[string][]uint64{}
	for i, k := range keys {
		if objects && i%3 == 0 {
			lists[k] = append(lists[k], uint64(i))
		}
	}
	for k, l := range lists {
		a := m[k]
		a.list = fmt.Sprint(l)
		m[k] = a
	}
	return m
}

// TestEach compares groups in any order with a map: any keys, little and much memory, several tables, and sizes
// that make records continue in other chunks and partitions overflow.
func TestEach(t *testing.T) {
	for _, n := range []int{0, 3, 64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if n > 0 {
				threshold.Shrink(t, n)
			}
			r := rand.New(rand.NewPCG(11, uint64(n)))
			all := corpora(r)
			longest := 90 << 10
			if n > 0 {
				longest = 4 << 10 // of a key that is read a few bytes at a time
			}
			for range rounds.Of(3000) {
				all["huge"] = append(all["huge"], strings.Repeat("k", r.IntN(2)*r.IntN(longest))+fmt.Sprint(r.IntN(2000)))
			}
			for name, keys := range all {
				if n > 0 {
					keys = keys[:min(len(keys), 700)]
				}
				for _, memBytes := range []int64{256 << 10, 1 << 20, 3 << 20} {
					if n > 0 && memBytes != 1<<20 {
						continue
					}
					for _, objects := range []bool{false, true} {
						t.Run(fmt.Sprintf("%s/%dKiB/objects=%t", name, memBytes>>10, objects), func(t *testing.T) {
							testEach(t, r, keys, memBytes, objects, r.IntN(5) > 0)
						})
					}
				}
			}
		})
	}
}

// testEach enters keys into tables at random. Some tables get few, and none but the first may have partitions.
func testEach(t *testing.T, r *rand.Rand, keys []string, memBytes int64, objects, random bool) {
	t.Helper()
	tables := make([]*Table, 1+r.IntN(5))
	seed := r.Uint64()
	for i := range tables {
		tables[i] = newAnyOrder(t, memBytes, objects, seed)
	}
	for from := 0; from < len(keys); {
		to, i := min(from+1+r.IntN(3000), len(keys)), r.IntN(len(tables))
		if !random && from > 5000 {
			i = 0
		}
		if err := enter(tables[i], keys[from:to], uint64(from), r.IntN(2)*64); err != nil {
			t.Fatal(err)
		}
		from = to
	}
	equal(t, visited(t, tables, 1+r.IntN(4)), wanted(keys, objects))
}

// TestEachOfWrittenPartitions has records that continue in other chunks, and chunks that are merged after others
// were written to the file: they must begin with a whole record.
func TestEachOfWrittenPartitions(t *testing.T) {
	t.Cleanup(func() { chunkRoom.Set(chunkRoom.Real()) })
	written := 0
	for seed := range uint64(rounds.Of(300)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(16, seed))
			chunkRoom.Set(16 << r.IntN(10))
			different, lengthMax, objects := 1+r.IntN(1<<r.IntN(16)), 1+r.IntN(20)*r.IntN(20), r.IntN(2) == 0
			var keys []string
			for range 500 + r.IntN(1<<(10+r.IntN(7))) {
				i := r.IntN(different)
				keys = append(keys, fmt.Sprintf("%0*d", i%lengthMax, i))
			}
			tables := make([]*Table, 1+r.IntN(3))
			memBytes, secret := int64(256<<10)<<r.IntN(4), r.Uint64()
			for i := range tables {
				tables[i] = newAnyOrder(t, memBytes, objects, secret)
			}
			for from := 0; from < len(keys); {
				to, table := min(from+1+r.IntN(3000), len(keys)), tables[r.IntN(len(tables))]
				if err := enter(table, keys[from:to], uint64(from), r.IntN(2)*64); err != nil {
					t.Fatal(err)
				}
				if s := table.parts; s != nil {
					wholeRecords(t, s)
				}
				from = to
			}
			equal(t, visited(t, tables, 1+r.IntN(4)), wanted(keys, objects))
			if s := tables[0].parts; s != nil && s.file != nil {
				written++
			}
		})
	}
	if written == 0 {
		t.Error("no partition was written")
	}
}

// TestEachOfLargeObjects has objects so much larger than their encoding that the groups of a partition spill, while
// others are in the memory beside the table.
func TestEachOfLargeObjects(t *testing.T) {
	tables := []*Table{newAnyOrder(t, 4<<20, true, 1), newAnyOrder(t, 4<<20, true, 1)}
	var keys []string
	for i := range 30000 {
		keys = append(keys, fmt.Sprint(i%20000))
	}
	for i, table := range tables {
		table.layout.Store.(*listStore).weight = 8 << 10
		if err := enter(table, keys[i*15000:(i+1)*15000], uint64(i*15000), 64); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, visited(t, tables, 2), wanted(keys, true))
	if s := tables[0].parts; s.left() == s.chunks() || tables[0].spilled == nil {
		t.Error("nothing spilled beside partitions in memory")
	}
}

// wholeRecords checks that each extent of a partition is whole records, its chunks are, and all are counted: each may
// be read alone.
func wholeRecords(t *testing.T, s *partitions) {
	t.Helper()
	for part := range s.parts {
		all, n := s.cursor(part), int64(0)
		pieces := []cursor{{from: s, chunks: all.chunks, tail: all.tail}}
		for _, e := range all.extents {
			pieces = append(pieces, cursor{from: s, extents: []extent{e}})
		}
		for i, piece := range pieces {
			var text []byte
			for {
				b, err := piece.next()
				if err != nil {
					t.Fatal(err)
				}
				if len(b) == 0 {
					break
				}
				text = append(text, b...)
			}
			for len(text) > 0 {
				size, ok := s.shapes.recordSize(text)
				if !ok || size > len(text) {
					t.Fatalf("partition %d ends within a record, %d bytes after its start (piece %d)", part, len(text), i)
				}
				text, n = text[size:], n+1
			}
		}
		if n != s.counts[part] {
			t.Fatalf("partition %d has %d records and counts %d", part, n, s.counts[part])
		}
	}
}

// TestEachOfEqualHashes puts different keys into one partition and one slot: the hash of zeros is zero if the
// secrets are.
func TestEachOfEqualHashes(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 13))
	var keys []string
	for range 3000 {
		keys = append(keys, strings.Repeat("\x00", 8)+fmt.Sprint(r.IntN(1200)))
	}
	tables := []*Table{newAnyOrder(t, 1<<20, false, 0), newAnyOrder(t, 1<<20, false, 0)}
	for i, table := range tables {
		table.seeds, table.kernels = [8]uint64{}, plain.Func
		for from := 1500 * i; from < 1500*(i+1); from += 100 {
			if err := enter(table, keys[from:from+100], uint64(from), 0); err != nil {
				t.Fatal(err)
			}
			if err := table.scatter(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, n := range tables[0].parts.counts {
		if (n > 0) != (i == 0) {
			t.Fatalf("partition %d has %d records", i, n)
		}
	}
	equal(t, visited(t, tables, 2), wanted(keys, false))
}

// TestPartitionsWays checks that the tests above take all ways: groups that are not looked up, partitions that
// are merged, written, or overflow the table.
func TestPartitionsWays(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 15))
	different := func(i int) string { return fmt.Sprintf("%015d", i) }
	for name, c := range map[string]struct {
		n     int
		key   func(i int) string
		check func(s *partitions) bool
	}{
		"direct":  {60000, different, func(s *partitions) bool { return s.direct > 0 && s.file == nil }},
		"written": {100000, func(i int) string { return different(i) + different(i) }, func(s *partitions) bool { return s.file != nil }},
		"merged": {150000, func(int) string { return different(r.IntN(12000)) }, func(s *partitions) bool {
			n := int64(0)
			for _, c := range s.counts {
				n += c
			}
			return s.file == nil && n < 100000
		}},
	} {
		t.Run(name, func(t *testing.T) {
			table := newAnyOrder(t, 3<<20, false, r.Uint64())
			var keys []string
			for i := range c.n {
				keys = append(keys, c.key(i))
			}
			if err := enter(table, keys, 0, 64); err != nil {
				t.Fatal(err)
			}
			if !c.check(table.parts) {
				t.Error("another way was taken")
			}
			equal(t, visited(t, []*Table{table}, 1), wanted(keys, false))
		})
	}
}

// TestPartitionsGrow: a table grows where groups repeat so often that it will hold all, and only there.
func TestPartitionsGrow(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	front := newAnyOrder(t, 4<<20, false, 1).most
	for _, test := range []struct {
		name          string
		keys, entered int
		grows         bool
	}{
		{"twice as many as fit at first", 2 * front, 40 * front, true},
		{"as many as fit after that", 4 * front, 40 * front, true},
		{"too many", 12 * front, 40 * front, false},
		{"no two alike", 40 * front, 40 * front, false},
	} {
		table := newAnyOrder(t, 4<<20, false, 1)
		keys := make([]string, test.entered)
		for i := range keys {
			keys[i] = fmt.Sprint(r.IntN(test.keys))
			if test.keys == test.entered {
				keys[i] = fmt.Sprint(i)
			}
		}
		if err := enter(table, keys, 0, 64); err != nil {
			t.Fatal(err)
		}
		if grew := !table.parts.any(); grew != test.grows {
			t.Errorf("%s: %d groups of %d, grew %t", test.name, table.groups, test.keys, grew)
		}
		equal(t, visited(t, []*Table{table}, 2), wanted(keys, false))
	}
}

// TestEachEnds checks that an error of a visit, and the end of the context, end Each.
func TestEachEnds(t *testing.T) {
	filled := func() []*Table {
		tables := []*Table{newAnyOrder(t, 1<<20, false, 1), newAnyOrder(t, 1<<20, false, 1)}
		var keys []string
		for i := range 30000 {
			keys = append(keys, fmt.Sprint(i))
		}
		for i, table := range tables {
			if err := enter(table, keys[i*15000:(i+1)*15000], 0, 64); err != nil {
				t.Fatal(err)
			}
		}
		return tables
	}
	enough := errors.New("enough")
	err := Each(context.Background(), filled(), 2, func() Visit {
		return func([]byte, []uint64, ObjectStore) error { return enough }
	})
	if !errors.Is(err, enough) {
		t.Errorf("a visit fails: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err = Each(ctx, filled(), 2, func() Visit { return func([]byte, []uint64, ObjectStore) error { return nil } })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the context ends: %v", err)
	}
}

// TestSpread checks that partitions are even, and that the hash reads no byte behind the key.
func TestSpread(t *testing.T) {
	table := newAnyOrder(t, 16<<20, false, 5)
	hits := map[uint16]int{}
	for n := range 100 {
		for i := range 1000 {
			key := []byte(strings.Repeat("a", max(0, n-3)) + fmt.Sprintf("%03d", i))[:n]
			a, b := append(slices.Clone(key), make([]byte, 32)...), append(slices.Clone(key), strings.Repeat("x", 32)...)
			p := table.partitionOf(&a[0], n)
			if q := table.partitionOf(&b[0], n); p != q {
				t.Fatalf("%q: partitions %d and %d", key, p, q)
			}
			if n > 3 {
				hits[p]++
			}
		}
	}
	if most := slices.Max(slices.Collect(maps.Values(hits))); len(hits) < 1<<table.parts.bits || most > 3*96000>>table.parts.bits {
		t.Errorf("%d partitions, one of %d", len(hits), most)
	}
}
