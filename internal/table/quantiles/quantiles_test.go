package quantiles

import (
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/spill"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// distributions make values of very different kinds.
var distributions = []struct {
	name string
	draw func(r *rand.Rand) uint64
}{
	{"one", func(*rand.Rand) uint64 { return FromInt(9) }},
	{"two far apart", func(r *rand.Rand) uint64 { return -uint64(r.IntN(2)) }},
	{"few", func(r *rand.Rand) uint64 { return FromInt(r.Int64N(7) - 3) }},
	{"bytes", func(r *rand.Rand) uint64 { return FromInt(r.Int64N(256)) }},
	{"prices", func(r *rand.Rand) uint64 { return FromInt(r.Int64N(10_000_000)) }},
	{"skewed", func(r *rand.Rand) uint64 { return FromInt(int64(math.Exp(r.Float64() * 42))) }},
	{"all words", func(r *rand.Rand) uint64 { return r.Uint64() }},
	{"floats", func(r *rand.Rand) uint64 { return FromFloat(r.NormFloat64() * 1e300) }},
	{"one far away", func(r *rand.Rand) uint64 { return FromInt(max(0, r.Int64N(1000)-998) * math.MaxInt64) }},
}

// sizes of groups lie on both sides of every threshold.
func sizes() (all []int) {
	all = []int{1, 2, 3, 10, 1000}
	for _, s := range threshold.All() {
		if n := s.Get(); n < 100_000 {
			all = append(all, max(n-1, 1), n, n+1)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// groupsOf distributes the values of a group over several stores, and merges them. Some stores
// spill now and then, as a table of groups makes them do.
func groupsOf(t *testing.T, r *rand.Rand, values []uint64, stores []*Store) (*Store, uint64) {
	t.Helper()
	handles := make([]uint64, len(stores))
	spilled := make([][][]byte, len(stores))
	for _, v := range values {
		i := r.IntN(len(stores))
		s := stores[i]
		s.Add(&handles[i], v)
		var other uint64 // of another group, so that chunks lie among each other
		s.Add(&other, v)
		if r.IntN(1+len(values)/3) == 0 {
			b, err := s.AppendBinary(handles[i], nil)
			if err != nil {
				t.Fatal(err)
			}
			spilled[i] = append(spilled[i], b)
			s.Reset()
			handles[i] = 0
		}
	}
	var all uint64
	for i, s := range stores {
		for _, b := range spilled[i] {
			h, err := s.Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			handles[i] = s.Merge(handles[i], s, h)
		}
		if handles[i] > 0 && r.IntN(4) == 0 { // as runs are merged into one
			b, err := s.AppendBinary(handles[i], nil)
			if err == nil {
				handles[i], err = s.Decode(b)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if handles[i] > 0 {
			all = stores[0].Merge(all, s, handles[i])
		}
	}
	return stores[0], all
}

func newStores(t *testing.T, n int) (all []*Store) {
	dir := t.TempDir()
	for range n {
		s := New(spill.Dir{Name: dir})
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		all = append(all, s)
	}
	return all
}

// checkRanks compares values at ranks with those of a sorted slice.
func checkRanks(t *testing.T, r *rand.Rand, name string, sel *Selector, sorted []uint64) {
	t.Helper()
	if sel.Len() != int64(len(sorted)) {
		t.Fatalf("%s: %d values, want %d", name, sel.Len(), len(sorted))
	}
	for range 6 {
		rank := r.IntN(len(sorted))
		switch r.IntN(4) {
		case 0:
			rank = 0
		case 1:
			rank = len(sorted) - 1
		}
		got, below, err := sel.At(int64(rank))
		if err != nil {
			t.Fatal(err)
		}
		want := sorted[rank]
		if first, _ := slices.BinarySearch(sorted, want); got != want || below != int64(first) {
			t.Fatalf("%s: value %d of %d is %#x with %d below, want %#x with %d", name, rank, len(sorted), got, below, want, first)
		}
	}
	low, high := sorted[r.IntN(len(sorted))], sorted[r.IntN(len(sorted))]
	var found []uint64
	if err := sel.Each(low, high, func(v uint64) { found = append(found, v) }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	from, _ := slices.BinarySearch(sorted, low)
	to := from
	for to < len(sorted) && sorted[to] <= high {
		to++
	}
	if !slices.Equal(found, sorted[from:max(from, to)]) {
		t.Fatalf("%s: %d values from %#x to %#x, want %d", name, len(found), low, high, to-from)
	}
}

func TestRanks(t *testing.T) {
	t.Run("real", testRanks)
	for _, n := range []int{1, 2, 3, 7, 64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			threshold.Shrink(t, n)
			testRanks(t)
		})
	}
}

func testRanks(t *testing.T) {
	var sel Selector
	all := sizes()
	if testing.Short() {
		all = all[:len(all)*2/3]
	}
	for seed, size := range all {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		for _, d := range distributions {
			stores := newStores(t, 1+r.IntN(3))
			sorted := make([]uint64, size)
			for i := range sorted {
				sorted[i] = d.draw(r)
			}
			s, h := groupsOf(t, r, sorted, stores)
			slices.Sort(sorted)
			var set Set
			s.AppendTo(&set, h)
			sel.Reset(1 + r.IntN(3))
			sel.Add(&set, nil)
			name := fmt.Sprintf("%s, %d", d.name, size)
			checkRanks(t, r, name, &sel, sorted)
			// The same values, ordered by what is made of them, with others beside them.
			half := func(values []uint64) {
				for i := range values {
					values[i] /= 2
				}
			}
			half(sorted)
			more := slices.Clone(sorted[:r.IntN(len(sorted))+1])
			sel.Reset(1 + r.IntN(3))
			sel.Add(&set, half)
			sel.AddWalk(int64(len(more)), func(visit func([]uint64)) error {
				visit(more[:1])
				visit(more[1:])
				return nil
			})
			sorted = append(sorted, more...)
			slices.Sort(sorted)
			checkRanks(t, r, name+" halved", &sel, sorted)
		}
	}
}

// TestAddInts adds batches to many groups at once.
func TestAddInts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	const groups, stride, word = 300, 4, 2
	s := newStores(t, 1)[0]
	words := make([]uint64, groups*stride)
	want := make([][]uint64, groups)
	for range 50 {
		var ints [records.Max]int64
		var sel records.Selection
		var ids []uint32
		for i := range uint16(records.Max) {
			if r.IntN(3) > 0 {
				g := min(r.IntN(groups), r.IntN(groups))
				ints[i] = r.Int64N(2000) - 1000
				sel, ids = append(sel, i), append(ids, uint32(g*stride))
				want[g] = append(want[g], FromInt(ints[i]))
			}
		}
		s.AddInts(words, word, ids, sel, &ints)
	}
	total := int64(0)
	for g, values := range want {
		var set Set
		s.AppendTo(&set, words[g*stride+word])
		var sel Selector
		sel.Reset(1)
		sel.Add(&set, nil)
		if sel.Len() != int64(len(values)) {
			t.Fatalf("group %d has %d values, want %d", g, sel.Len(), len(values))
		}
		total += sel.Len()
		if len(values) > 0 {
			slices.Sort(values)
			checkRanks(t, r, fmt.Sprint("group ", g), &sel, values)
		}
	}
	if got := s.Bytes(); got < 8*total || got > 24*total+slabWords {
		t.Errorf("%d values take %d bytes", total, got)
	}
}

// TestOneValueEach: groups of one value take two words each.
func TestOneValueEach(t *testing.T) {
	s := newStores(t, 1)[0]
	const groups = 200_000
	handles := make([]uint64, groups)
	for i := range handles {
		s.Add(&handles[i], uint64(i))
	}
	if got := s.Bytes(); got > 16*groups+2*8*slabWords {
		t.Errorf("%d values of as many groups take %d bytes", groups, got)
	}
	for i, h := range handles {
		var set Set
		s.AppendTo(&set, h)
		for values := range set.chains[0].chunks() {
			if len(values) != 1 || values[0] != uint64(i) {
				t.Fatalf("group %d has %v", i, values)
			}
		}
	}
}

func TestFloats(t *testing.T) {
	all := []float64{math.Inf(-1), -math.MaxFloat64, -1, -5e-324, 0, 5e-324, 0.1, 1, math.MaxFloat64, math.Inf(1)}
	for i, f := range all {
		if got := ToFloat(FromFloat(f)); got != f {
			t.Errorf("%v became %v", f, got)
		}
		if i > 0 && FromFloat(all[i-1]) >= FromFloat(f) {
			t.Errorf("%v does not stand before %v", all[i-1], f)
		}
	}
	if FromFloat(math.Copysign(0, -1)) != FromFloat(0) {
		t.Error("-0 is not 0")
	}
	for _, i := range []int64{math.MinInt64, -1, 0, 1, math.MaxInt64} {
		if ToInt(FromInt(i)) != i {
			t.Errorf("%d became %d", i, ToInt(FromInt(i)))
		}
	}
}

// TestBroken cuts what was spilled, in the file and in memory.
func TestBroken(t *testing.T) {
	s := newStores(t, 1)[0]
	var few, many uint64
	for i := range uint64(10) {
		s.Add(&few, i*i*1000)
	}
	for i := range uint64(100_000) {
		s.Add(&many, i*i)
	}
	for _, h := range []uint64{few, many} {
		b, err := s.AppendBinary(h, nil)
		if err != nil {
			t.Fatal(err)
		}
		for n := range b {
			if _, err := s.Decode(b[:n]); err == nil {
				t.Fatalf("%d of %d bytes were read as all", n, len(b))
			}
		}
		h, err := s.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		many = h
	}
	if err := s.file.Truncate(s.file.End() / 2); err != nil {
		t.Fatal(err)
	}
	var set Set
	s.AppendTo(&set, many)
	var sel Selector
	sel.Reset(2)
	sel.Add(&set, nil)
	if _, _, err := sel.At(99_000); err == nil {
		t.Error("a file cut in half was read without an error")
	}
}

func TestNoRoom(t *testing.T) {
	s := New(spill.Dir{Name: t.TempDir() + "/nowhere"})
	var h uint64
	for i := range uint64(1000) {
		s.Add(&h, i)
	}
	if _, err := s.AppendBinary(h, nil); err == nil {
		t.Error("spilled to no folder")
	}
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if _, missing := err.(*fs.PathError); missing {
		t.Skip("no /dev/full")
	}
	s.file = &spill.File{File: full}
	const want = "spill to /dev/full: no space left on device; free some or set TMPDIR"
	if _, err := s.AppendBinary(h, nil); err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func BenchmarkAdd(b *testing.B) {
	s := New(spill.Dir{Name: b.TempDir()})
	handles := make([]uint64, 20)
	for i := 0; b.Loop(); i++ {
		if i%(1<<20) == 0 {
			s.Reset()
			clear(handles)
		}
		s.Add(&handles[i%20], uint64(i))
	}
}

func BenchmarkAt(b *testing.B) {
	s := New(spill.Dir{Name: b.TempDir()})
	var h uint64
	r := rand.New(rand.NewPCG(1, 1))
	for range 500_000 {
		s.Add(&h, FromInt(r.Int64N(10_000_000)))
	}
	var set Set
	s.AppendTo(&set, h)
	for b.Loop() {
		var sel Selector
		sel.Reset(1)
		sel.Add(&set, nil)
		if _, _, err := sel.At(250_000); err != nil {
			b.Fatal(err)
		}
	}
}
