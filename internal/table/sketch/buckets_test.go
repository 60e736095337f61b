package sketch

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/DataDog/sketches-go/ddsketch/mapping"
	"github.com/DataDog/sketches-go/ddsketch/store"

	"github.com/thresh-dev/thresh/internal/table/encoded"
)

// TestBucketsConstants: the constants are what the library computes for the same accuracy.
func TestBucketsConstants(t *testing.T) {
	m, err := mapping.NewLogarithmicMapping(accuracy)
	if err != nil {
		t.Fatal(err)
	}
	if got := 1 / math.Log((1+accuracy)/(1-accuracy)); math.Abs(got-bucketsPerE) > 1e-9 {
		t.Errorf("bucketsPerE is %v, should be %v", bucketsPerE, got)
	}
	if m.MaxIndexableValue() != magnitudeMax || math.Abs(m.MinIndexableValue()/magnitudeMin-1) > 1e-12 {
		t.Errorf("magnitudes from %v to %v, the library's from %v to %v",
			magnitudeMin, magnitudeMax, m.MinIndexableValue(), m.MaxIndexableValue())
	}
	for _, v := range []float64{math.Nextafter(magnitudeMin, 1), magnitudeMax} {
		if key := keyOf(v); key < 1 || key > keyMax {
			t.Errorf("the key of %v is %d", v, key)
		}
	}
}

// TestBucketsOrder: keys ascend with values, of either sign, and each answer is near to the value.
func TestBucketsOrder(t *testing.T) {
	values := []float64{0, magnitudeMin, math.Nextafter(magnitudeMin, 1), math.SmallestNonzeroFloat64, magnitudeMax}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		values = append(values, math.Exp(r.Float64()*1416-707), math.Exp(r.NormFloat64()))
	}
	for _, v := range slices.Clone(values) {
		values = append(values, -v)
	}
	slices.Sort(values)
	before := int32(math.MinInt32)
	for _, v := range values {
		key := keyOf(v)
		if key < before {
			t.Fatalf("the key of %v is %d, that of a smaller value %d", v, key, before)
		}
		before = key
		if answer := valueOf(key); math.Abs(v) > magnitudeMin && math.Abs(answer/v-1) > accuracy*(1+1e-9) {
			t.Fatalf("the answer for %v is %v", v, answer)
		}
	}
}

// TestBucketsLibrary: every rank has the answer of the library's sketch.
func TestBucketsLibrary(t *testing.T) {
	m, err := mapping.NewLogarithmicMapping(accuracy)
	if err != nil {
		t.Fatal(err)
	}
	for name, draw := range distributions {
		r := rand.New(rand.NewPCG(5, 6))
		peer := ddsketch.NewDDSketchFromStoreProvider(m, store.BufferedPaginatedStoreConstructor)
		var own buckets
		const n = 3000
		for range n {
			v := min(max(draw(r), -magnitudeMax), magnitudeMax)
			own.add(keyOf(v), 1)
			if err := peer.Add(v); err != nil {
				t.Fatal(err)
			}
		}
		below, above := peer.GetNegativeValueStore(), peer.GetPositiveValueStore()
		for rank := int64(1); rank <= n; rank += 7 {
			var want float64
			switch at := float64(rank - 1); {
			case at < below.TotalCount():
				want = -m.Value(below.KeyAtRank(below.TotalCount() - 1 - at))
			case at >= below.TotalCount()+peer.GetZeroCount():
				want = m.Value(above.KeyAtRank(at - below.TotalCount() - peer.GetZeroCount()))
			}
			if got := own.atRank(rank); math.Abs(got-want) > 1e-12*math.Abs(want) {
				t.Fatalf("%s: number %d of %d is %v, the library's %v", name, rank, n, got, want)
			}
		}
	}
}

// TestBucketsMap: the table holds what a map holds, whatever was added and merged, at every size.
func TestBucketsMap(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, spread := range []int32{1, 40, 5000, keyMax} {
		var own, other buckets
		want := map[int32]int64{}
		for i := range 6000 {
			key := r.Int32N(2*spread+1) - spread
			count := 1 + r.Int64N(3)
			want[key] += count
			if i%3 == 0 {
				other.add(key, count)
			} else {
				own.add(key, count)
			}
			if i%1500 == 1499 {
				own.merge(&other)
				other = buckets{}
			}
		}
		all := own.sorted()
		if len(all) != len(want) || own.used != len(want) || 4*own.used > 3*len(own.slots) {
			t.Fatalf("%d buckets, %d used of %d slots, want %d", len(all), own.used, len(own.slots), len(want))
		}
		for i, b := range all {
			if b.count != want[b.key] || i > 0 && b.key <= all[i-1].key {
				t.Fatalf("bucket %d, the %d-th, has %d values, want %d", b.key, i, b.count, want[b.key])
			}
		}
	}
}

// TestBucketsBroken: no encoding that is not exactly n values is read.
func TestBucketsBroken(t *testing.T) {
	encode := func(pairs ...[2]int64) []byte {
		var b buckets
		for _, p := range pairs {
			b.add(int32(p[0]), p[1])
		}
		return b.appendBinary(nil)
	}
	good := encode([2]int64{-keyMax, 2}, [2]int64{0, 1}, [2]int64{keyMax, 40})
	read := func(data []byte, n int64) bool {
		var b buckets
		r := encoded.Reader{Rest: data}
		b.read(&r, n)
		return !r.Bad
	}
	if !read(good, 43) || read(good, 42) || read(good, 44) {
		t.Error("a wrong number of values was accepted, or the right one was not")
	}
	for n := range good {
		if read(good[:n], 43) {
			t.Errorf("%d of %d bytes were read as all", n, len(good))
		}
	}
	if beyond := encode([2]int64{keyMax + 1, 43}); read(beyond, 43) {
		t.Error("a key beyond the last was accepted")
	}
	if twice := []byte{2, 1, 20, 0, 23}; read(twice, 43) {
		t.Error("a key was accepted twice")
	}
	if none := []byte{2, 1, 43, 1, 0}; read(none, 43) {
		t.Error("a bucket without values was accepted")
	}
}
