package compare

import (
	"math/rand/v2"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/question"
)

// longest covers two blocks of the widest variant, and one byte.
var longest = kerneltest.Longest(256, 64)

// Every comparison of every edge value with every other, for all types and byte orders. The value
// fills a block and a tail, so that each loop of a kernel sees it.
func TestEdgeValues(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, f searcher) {
		for _, name := range typeNames {
			typ := mustType(t, name)
			edges := typ.edges()
			columns := make([][]byte, len(edges))
			for i, raw := range edges {
				columns[i] = make([]byte, 256+64+24)
				for at := 0; at < len(columns[i]); at += typ.width {
					typ.put(columns[i][at:], raw)
				}
			}
			for _, value := range edges {
				for _, high := range edges {
					for op := range question.IsInf + 1 {
						c := native{op, value, high}
						if op != question.Between && high != edges[0] || !c.allowed(typ) {
							continue
						}
						checkEdges(t, typ, mustCompile(t, typ, f, c), c, edges, columns)
					}
				}
			}
		}
	})
}

func checkEdges(t *testing.T, typ Type, p *Predicate, c native, edges []uint64, columns [][]byte) {
	t.Helper()
	if p.FitsZero() != c.fits(typ, 0) {
		t.Fatalf("%v %+v: FitsZero is %v", typ, c.condition(typ), p.FitsZero())
	}
	for i, raw := range edges {
		want := -1
		if c.fits(typ, raw) {
			want = 0
		}
		for _, column := range [][]byte{columns[i], columns[i][:64], columns[i][:typ.width]} {
			if got := p.Index(column); got != want {
				t.Fatalf("%v %+v, %d bytes of %s (%#x): got %d, want %d",
					typ, c.condition(typ), len(column), typ.text(raw), raw, got, want)
			}
		}
	}
}

// Every length with every place of a single match, between guard pages: each slice begins once and
// ends once at memory that must not be touched. Most slices end with bytes that are not a whole
// value.
func TestEveryLengthAndPlace(t *testing.T) {
	conds := []struct {
		cond        native
		filler, hit uint64
	}{
		{native{question.Equal, 77, 0}, 3, 77},
		{native{question.NotEqual, 3, 0}, 3, 77},
		{native{question.Between, 60, 80}, 3, 77},
	}
	kerneltest.Run(t, variants, func(t *testing.T, f searcher) {
		head, tail := kerneltest.Guarded(t, longest)
		for _, name := range typeNames {
			typ := mustType(t, name)
			for _, c := range conds {
				p := mustCompile(t, typ, f, c.cond)
				for n := range longest + 1 {
					for _, b := range [][]byte{head[:n], tail[longest-n:]} {
						checkPlaces(t, typ, p, b, c.filler, c.hit)
					}
				}
			}
		}
	})
}

func checkPlaces(t *testing.T, typ Type, p *Predicate, b []byte, filler, hit uint64) {
	t.Helper()
	for i := range b {
		b[i] = 0xff // the rest, if the values do not fill b
	}
	for i := 0; i+typ.width <= len(b); i += typ.width {
		typ.put(b[i:], filler)
	}
	if got := p.Index(b); got != -1 {
		t.Fatalf("%v, length %d, no hit: got %d", typ, len(b), got)
	}
	for i := 0; i+typ.width <= len(b); i += typ.width {
		typ.put(b[i:], hit)
		if got := p.Index(b); got != i {
			t.Fatalf("%v, length %d, hit at %d: got %d", typ, len(b), i, got)
		}
		typ.put(b[i:], filler)
	}
}

// Random columns of a few different values, at every alignment, with every stride around widths and
// vectors, under one to three conditions.
func TestRandom(t *testing.T) {
	strides := []int{128, 192, 256, 1000, 1 << 62}
	for stride := 1; stride <= 70; stride++ {
		strides = append(strides, stride)
	}
	kerneltest.Run(t, variants, func(t *testing.T, f searcher) {
		random := rand.New(rand.NewPCG(3, 4))
		head, tail := kerneltest.Guarded(t, 3000)
		for _, name := range typeNames {
			typ := mustType(t, name)
			edges := typ.edges()
			for range rounds.Of(1500) {
				conds := randomConditions(random, typ, edges)
				p := mustCompile(t, typ, f, conds...)
				n, skip := random.IntN(2900), random.IntN(64)
				b := head[skip : skip+n]
				if random.IntN(2) == 0 {
					b = tail[len(tail)-n:]
				}
				fill(random, typ, conds, edges, b)
				for _, stride := range []int{typ.width, strides[random.IntN(len(strides))]} {
					got, want := p.IndexStride(b, stride), wanted(typ, conds, b, stride)
					if got != want {
						t.Fatalf("%v %+v, length %d, stride %d: got %d, want %d",
							typ, conds, n, stride, got, want)
					}
				}
			}
		}
	})
}

func randomConditions(random *rand.Rand, typ Type, edges []uint64) []native {
	var conds []native
	for len(conds) == 0 || random.IntN(3) == 0 {
		c := native{question.Op(random.IntN(int(question.IsInf) + 1)), edges[random.IntN(len(edges))],
			edges[random.IntN(len(edges))]}
		if c.allowed(typ) {
			conds = append(conds, c)
		}
	}
	return conds
}

// fill writes values that do not fit, if there are any, and a few arbitrary ones.
func fill(random *rand.Rand, typ Type, conds []native, edges []uint64, b []byte) {
	filler := edges[random.IntN(len(edges))]
	for _, raw := range edges {
		for _, c := range conds {
			if !c.fits(typ, raw) {
				filler = raw
			}
		}
	}
	for i := 0; i+typ.width <= len(b); i += typ.width {
		typ.put(b[i:], filler)
	}
	for range random.IntN(4) {
		if places := len(b) / typ.width; places > 0 {
			typ.put(b[random.IntN(places)*typ.width:], edges[random.IntN(len(edges))])
		}
	}
}

// someBounds are those of conditions on 8-bit values: all that differ in kind, or with -short the ends
// and those around the sign.
func someBounds() []uint64 {
	if testing.Short() {
		return []uint64{0, 127, 128, 255}
	}
	return []uint64{0, 1, 100, 101, 127, 128, 129, 254, 255}
}

// All 8-bit values under all pairs of conditions on two bounds: sets of ranges of every shape, and
// false candidates.
func TestIntersections(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, f searcher) {
		bounds := someBounds()
		for _, name := range []string{"u8", "i8"} {
			typ := mustType(t, name)
			for _, a := range bounds {
				for _, b := range bounds {
					for first := range question.Between {
						for second := range question.Between {
							conds := []native{{first, a, 0}, {second, b, 0}}
							checkEveryByte(t, typ, mustCompile(t, typ, f, conds...), conds)
						}
					}
				}
			}
		}
	})
}

func checkEveryByte(t *testing.T, typ Type, p *Predicate, conds []native) {
	t.Helper()
	var column [600]byte // of one value; more than one look-ahead of false candidates
	for raw := range uint64(256) {
		for i := range column {
			column[i] = byte(raw)
		}
		if got, want := p.Index(column[:]), wanted(typ, conds, column[:1], 1); got != want {
			t.Fatalf("%v %+v, value %d: got %d, want %d", typ, conds, raw, got, want)
		}
	}
}

// A match far after many false candidates, in every variant, contiguous and with a stride.
func TestFalseCandidates(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, f searcher) {
		typ := mustType(t, "i32")
		conds := []native{{question.Greater, 0, 0}, {question.NotEqual, 10, 0}}
		p := mustCompile(t, typ, f, conds...)
		for hit := 0; hit < 2000; hit += 9 {
			b := make([]byte, 4*2000)
			for i := range 2000 {
				typ.put(b[4*i:], 10)
			}
			typ.put(b[4*hit:], 11)
			for _, stride := range []int{4, 1, 8, 12} {
				if got, want := p.IndexStride(b, stride), wanted(typ, conds, b, stride); got != want {
					t.Fatalf("hit %d, stride %d: got %d, want %d", hit, stride, got, want)
				}
			}
		}
	})
}

func TestIndexAllocatesNothing(t *testing.T) {
	typ := mustType(t, "i32")
	p, err := Compile(typ, []question.Condition{{Op: question.Greater, Value: "0"}, {Op: question.NotEqual, Value: "10"}})
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 4096)
	typ.put(b[2000:], 10)
	if n := testing.AllocsPerRun(100, func() { p.Index(b); p.IndexStride(b, 1) }); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
	if !cpu.Has(p.ISA()) {
		t.Errorf("compiled for %v, which cannot run here", p.ISA())
	}
}

func TestStridePanics(t *testing.T) {
	p := mustCompile(t, mustType(t, "u8"), indexPlain, native{question.Equal, 1, 0})
	defer func() {
		if recover() == nil {
			t.Error("a stride of 0 must panic")
		}
	}()
	p.IndexStride(make([]byte, 8), 0)
}

// FuzzIndexStride checks these invariants for every variant: it agrees with a search by Go's own
// operators; what it finds is at a multiple of the stride, whole, and fits; and nothing before it
// fits.
func FuzzIndexStride(f *testing.F) {
	f.Add([]byte("needle in a column of bytes"), uint8(4), uint8(3), uint64(5), uint64(9), uint16(4))
	f.Add(make([]byte, 700), uint8(8), uint8(1), uint64(0), uint64(0), uint16(8))
	f.Add([]byte{0, 0, 0xc0, 0x7f}, uint8(16), uint8(7), uint64(0), uint64(0), uint16(1))
	f.Fuzz(func(t *testing.T, b []byte, typ, op uint8, value, high uint64, stride uint16) {
		column := mustType(t, typeNames[int(typ)%len(typeNames)])
		c := native{question.Op(op) % (question.IsInf + 1), value & column.maxRank(), high & column.maxRank()}
		if stride == 0 || !c.allowed(column) {
			return
		}
		conds := []native{c, {question.NotEqual, high & column.maxRank(), 0}}
		for count := 1; count <= len(conds); count++ {
			want := wanted(column, conds[:count], b, int(stride))
			for _, v := range variants {
				if !cpu.Has(v.ISA) {
					continue
				}
				p := mustCompile(t, column, v.Func, conds[:count]...)
				if got := p.IndexStride(b, int(stride)); got != want {
					t.Fatalf("%v %v %+v, stride %d: got %d, want %d",
						v.ISA, column, conds[:count], stride, got, want)
				}
			}
		}
		if zero := mustCompile(t, column, indexPlain, c); zero.FitsZero() != c.fits(column, 0) {
			t.Fatalf("%v %+v: FitsZero is %v", column, c, zero.FitsZero())
		}
	})
}

// The table must end with the plain variant, or Choose has no fallback.
func TestPlainIsLast(t *testing.T) {
	if last := variants[len(variants)-1]; last.ISA != cpu.Plain {
		t.Errorf("the last variant is %v", last.ISA)
	}
	if kernel.Choose(variants).Func == nil {
		t.Error("the chosen variant has no function")
	}
}
