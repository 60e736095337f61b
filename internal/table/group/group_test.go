package group

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/table/spill"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// The state under test: a count, a minimum and a maximum of the record numbers, and, when
// there are objects, a list of them whose sum is kept as well.
const (
	wordCount = iota
	wordMin
	wordMax
	wordList
)

func mergeWords(into, from []uint64) {
	into[wordCount] += from[wordCount]
	into[wordMin] = min(into[wordMin], from[wordMin])
	into[wordMax] = max(into[wordMax], from[wordMax])
}

// listStore holds sets of numbers, as sums of powers: a toy that is exact in any order.
type listStore struct {
	lists  [][]uint64
	bytes  int64
	weight int64 // more bytes of each list, which its encoding does not have
}

func (s *listStore) add(handle, x uint64) uint64 {
	if handle == 0 {
		s.lists = append(s.lists, nil)
		handle = uint64(len(s.lists))
		s.bytes += s.weight
	}
	s.lists[handle-1] = append(s.lists[handle-1], x)
	s.bytes += 8
	return handle
}

func (s *listStore) MergeFrom(_ int, into uint64, from ObjectStore, handle uint64) (uint64, error) {
	for _, x := range slices.Clone(from.(*listStore).lists[handle-1]) {
		into = s.add(into, x)
	}
	return into, nil
}

func (s *listStore) AppendBinary(_ int, handle uint64, b []byte) ([]byte, error) {
	for _, x := range s.lists[handle-1] {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b, nil
}

func (s *listStore) Decode(_ int, b []byte) (handle uint64, err error) {
	if len(b)%8 != 0 {
		return 0, errors.New("a list of broken numbers")
	}
	for ; len(b) > 0; b = b[8:] {
		handle = s.add(handle, binary.LittleEndian.Uint64(b))
	}
	return handle, nil
}

func (s *listStore) Bytes() int64 { return s.bytes }
func (s *listStore) Reset()       { s.lists, s.bytes = nil, 0 }

func newTable(t testing.TB, memBytes int64, objects bool) *Table {
	t.Helper()
	l := Layout{Words: 3, Init: []uint64{0, ^uint64(0), 0}, Merge: mergeWords}
	if objects {
		l.Words, l.Init, l.Objects, l.Store = 4, append(l.Init, 0), []int{wordList}, &listStore{}
	}
	table, err := New(Options{Layout: l, MemBytes: memBytes, TempDir: spill.Dir{Name: t.TempDir()}, Seed: rand.Uint64()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := table.Close(); err != nil {
			t.Error(err)
		}
		left, err := os.ReadDir(table.tempDir.Name)
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	return table
}

// batch puts keys into a text that ends with the last key.
func batch(keys []string) (text []byte, column records.Column, sel records.Selection) {
	for i, k := range keys {
		column = append(column, records.Span{Off: uint32(len(text)), Len: uint32(len(k))})
		text = append(text, k...)
		sel = append(sel, uint16(i))
	}
	return slices.Clip(text), column, sel
}

// feed adds keys to a table. The first key has the given number.
func feed(table *Table, keys []string, number uint64) error {
	ids := make([]uint32, records.Max)
	for len(keys) > 0 {
		n, size := 0, 0
		for n < min(len(keys), records.Max) && (n == 0 || size+len(keys[n]) < 32<<10) {
			size += len(keys[n])
			n++
		}
		part := keys[:n]
		keys = keys[n:]
		text, column, sel := batch(part)
		if err := table.Lookup(text, column, sel, ids); err != nil {
			return err
		}
		words := table.States()
		for j := range part {
			w := words[ids[j]:][:table.layout.Words]
			w[wordCount]++
			w[wordMin] = min(w[wordMin], number)
			w[wordMax] = max(w[wordMax], number)
			if len(w) > wordList {
				w[wordList] = table.layout.Store.(*listStore).add(w[wordList], number)
			}
			number++
		}
		if used := table.usedBytes() + int64(table.ioBytes); used > table.memBytes {
			return fmt.Errorf("%d bytes are used, of %d", used, table.memBytes)
		}
	}
	return nil
}

type answer struct {
	count, min, max uint64
	list            string
}

// want is the answer of the standard library.
func want(keys []string, objects bool) map[string]answer {
	m := map[string]answer{}
	lists := map[string][]uint64{}
	for i, k := range keys {
		a, ok := m[k]
		if !ok {
			a.min = ^uint64(0)
		}
		n := uint64(i)
		m[k] = answer{count: a.count + 1, min: min(a.min, n), max: max(a.max, n)}
		if objects {
			lists[k] = append(lists[k], n)
		}
	}
	for k, l := range lists {
		a := m[k]
		a.list = fmt.Sprint(l)
		m[k] = a
	}
	return m
}

// merged gathers what Merge yields, and sees that keys ascend.
func merged(t testing.TB, tables []*Table, workers int) map[string]answer {
	t.Helper()
	got := map[string]answer{}
	last, first := "", true
	err := Merge(context.Background(), tables, workers, func(key []byte, words []uint64, store ObjectStore) error {
		if !first && string(key) <= last {
			return fmt.Errorf("%.40q comes behind %.40q", key, last)
		}
		last, first = string(key), false
		a := answer{count: words[wordCount], min: words[wordMin], max: words[wordMax]}
		if len(words) > wordList {
			l := slices.Clone(store.(*listStore).lists[words[wordList]-1])
			slices.Sort(l)
			a.list = fmt.Sprint(l)
		}
		got[last] = a
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func equal(t testing.TB, got, want map[string]answer) {
	t.Helper()
	if maps.Equal(got, want) {
		return
	}
	for k, w := range want {
		if g, ok := got[k]; !ok || g != w {
			t.Errorf("key %.60q of %d bytes: %v, want %v", k, len(k), g, w)
			break
		}
	}
	t.Fatalf("%d groups, want %d", len(got), len(want))
}

// corpora are keys of all kinds.
func corpora(r *rand.Rand) map[string][]string {
	make := func(n int, key func(i int) string) (keys []string) {
		for i := range rounds.Of(n) {
			keys = append(keys, key(i))
		}
		return keys
	}
	random := func(n int) string {
		b := []byte(strings.Repeat("-", n))
		for i := range b {
			b[i] = byte(r.IntN(256))
		}
		return string(b)
	}
	shared := strings.Repeat("shared prefix, ", 20)
	return map[string][]string{
		"none":     {},
		"one":      {"", ""},
		"numbers":  make(30000, func(int) string { return fmt.Sprint(r.IntN(12000)) }),
		"lengths":  make(20000, func(int) string { return strings.Repeat("a", r.IntN(70)) }),
		"zeros":    make(20000, func(int) string { return strings.Repeat("\x00", r.IntN(40)) + random(r.IntN(2)) }),
		"binary":   make(20000, func(int) string { return random(r.IntN(3)) }),
		"random16": make(40000, func(int) string { return random(16) }),
		"shared":   make(20000, func(int) string { return shared[:8*r.IntN(38)] + fmt.Sprint(r.IntN(900)) }),
		"long":     make(3000, func(i int) string { return strings.Repeat("x", 40*r.IntN(60)) + fmt.Sprint(r.IntN(9)) }),
		"mixed":    make(20000, func(int) string { return random(r.IntN(4)) + shared[:r.IntN(60)] }),
	}
}

func TestGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, keys := range corpora(r) {
		for _, memBytes := range []int64{256 << 10, 1 << 20, 16 << 20} {
			for _, objects := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%dKiB/objects=%t", name, memBytes>>10, objects), func(t *testing.T) {
					tables := make([]*Table, 1+r.IntN(5))
					for i := range tables {
						tables[i] = newTable(t, memBytes, objects)
					}
					for from := 0; from < len(keys); {
						to := min(from+1+r.IntN(3000), len(keys))
						if err := feed(tables[r.IntN(len(tables))], keys[from:to], uint64(from)); err != nil {
							t.Fatal(err)
						}
						from = to
					}
					equal(t, merged(t, tables, 1+r.IntN(3)), want(keys, objects))
				})
			}
		}
	}
}

// TestGroupsShrunk does the same with sizes so small that every other way is taken: tables
// spill in each batch, runs are merged again and again, and objects read back are dropped.
func TestGroupsShrunk(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			threshold.Shrink(t, n)
			r := rand.New(rand.NewPCG(uint64(n), 2))
			for name, keys := range corpora(r) {
				keys = keys[:min(len(keys), rounds.Of(100+r.IntN(100)))]
				for _, objects := range []bool{false, true} {
					tables := make([]*Table, 1+r.IntN(4))
					for i := range tables {
						tables[i] = newTable(t, 16<<20, objects)
					}
					for from := 0; from < len(keys); {
						to := min(from+1+r.IntN(1+n), len(keys))
						if err := feed(tables[r.IntN(len(tables))], keys[from:to], uint64(from)); err != nil {
							t.Fatal(err)
						}
						from = to
					}
					t.Log(name, objects)
					equal(t, merged(t, tables, 1+r.IntN(3)), want(keys, objects))
				}
			}
		})
	}
}

func TestLongKey(t *testing.T) {
	keys := []string{strings.Repeat("k", 1<<20), "short", strings.Repeat("k", 1<<20-1), strings.Repeat("k", 1<<20), ""}
	table := newTable(t, 4<<20, false)
	for i := range keys {
		if err := feed(table, keys[i:i+1], uint64(i)); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, merged(t, []*Table{table}, 2), want(keys, false))

	small := newTable(t, 256<<10, false)
	if err := feed(small, keys[:1], 0); err == nil || !strings.Contains(err.Error(), "1048576 bytes") {
		t.Errorf("a key that does not fit: %v", err)
	}
}

// TestVariants looks up keys of all lengths up to some, with and without zeros at their ends, in
// a table of each variant and in a plain one. Both must return the same ids.
func TestVariants(t *testing.T) {
	var keys []string
	for i := range 5 {
		for n := range 70 {
			key := strings.Repeat(string(rune('a'+i%2)), n)
			keys = append(keys, key, key+"\x00", "\x00"+key, key+"z"+key)
		}
	}
	text, column, sel := batch(keys[:records.Max])
	kerneltest.Run(t, variants, func(t *testing.T, f kernels) {
		fast, twin := newTable(t, 1<<20, false), newTable(t, 1<<20, false)
		fast.kernels, twin.kernels = f, plain.Func
		a, b := make([]uint32, len(sel)), make([]uint32, len(sel))
		for range 2 {
			if err := fast.Lookup(text, column, sel, a); err != nil {
				t.Fatal(err)
			}
			if err := twin.Lookup(text, column, sel, b); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(a, b) {
				t.Fatal("ids differ")
			}
		}
		ids := map[string]uint32{}
		for j, key := range keys[:records.Max] {
			if id, known := ids[key]; known && id != b[j] {
				t.Errorf("key %q: id %d, then %d", key, id, b[j])
			}
			ids[key] = b[j]
		}
		if len(ids) != twin.Len() {
			t.Errorf("%d groups of %d keys", twin.Len(), len(ids))
		}
	})
}

// TestWeakHash takes secrets that make the hash of every short key 0.
func TestWeakHash(t *testing.T) {
	var keys []string
	for i := range 3000 {
		keys = append(keys, fmt.Sprintf("%04d", i%1000))
	}
	table := newTable(t, 1<<20, false)
	table.kernels = plain.Func  // their hash has no such secrets
	table.seeds[1] = ^uint64(3) // with the length 4 it adds up to 0
	table.seeds[1]++
	if err := feed(table, keys, 0); err != nil {
		t.Fatal(err)
	}
	if h := fold(1, table.seeds[1]+4); h>>32 != 0 {
		t.Fatalf("the hash is not weak: %x", h)
	}
	equal(t, merged(t, []*Table{table}, 1), want(keys, false))
}

func TestTooLittleMemory(t *testing.T) {
	_, err := New(Options{MemBytes: 1000, Layout: Layout{Merge: mergeWords}})
	if err == nil || !strings.Contains(err.Error(), "Run.MemoryBytes") {
		t.Errorf("error %v", err)
	}
}
