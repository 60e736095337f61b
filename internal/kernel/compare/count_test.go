package compare

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/question"
)

// wantedCount counts value by value with Go's own operators.
func wantedCount(t Type, conds []native, b []byte, stride int) (n int) {
	for i := 0; i+t.width <= len(b); i += stride {
		if wanted(t, conds, b[i:i+t.width], t.width) == 0 {
			n++
		}
	}
	return n
}

// countByIndex counts by searching again after every match.
func countByIndex(p *Predicate, b []byte, stride int) (n int) {
	for len(b) > 0 {
		i := p.IndexStride(b, stride)
		if i < 0 {
			return n
		}
		n++
		b = b[min(i+stride, len(b)):]
	}
	return n
}

// mustCounter compiles native conditions for one variant of the counting kernel.
func mustCounter(tb testing.TB, t Type, f counter, conds ...native) *Predicate {
	tb.Helper()
	p := mustCompile(tb, t, indexPlain, conds...)
	p.counter.Func = f
	return p
}

// mix writes edge values, mostly the first one, and sets the bytes after the last value to ones.
func mix(random *rand.Rand, typ Type, edges []uint64, b []byte) {
	often := edges[random.IntN(len(edges))]
	for i := range b {
		b[i] = 0xff
	}
	for i := 0; i+typ.width <= len(b); i += typ.width {
		raw := often
		if random.IntN(2) == 0 {
			raw = edges[random.IntN(len(edges))]
		}
		typ.put(b[i:], raw)
	}
}

// Every length between guard pages, where half of the values fit; with values that are contiguous,
// spaced out and overlapping.
func TestCountEveryLength(t *testing.T) {
	cond := native{question.Between, 60, 80}
	kerneltest.Run(t, counters, func(t *testing.T, f counter) {
		random := rand.New(rand.NewPCG(5, 6))
		head, tail := kerneltest.Guarded(t, longest)
		for _, name := range typeNames {
			typ := mustType(t, name)
			p := mustCounter(t, typ, f, cond)
			for n := range longest + 1 {
				for _, b := range [][]byte{head[:n], tail[longest-n:]} {
					mix(random, typ, []uint64{59, 60, 80, 81}, b)
					for _, stride := range []int{typ.width, 2 * typ.width, 1} {
						if got, want := p.CountStride(b, stride), wantedCount(typ, []native{cond}, b, stride); got != want {
							t.Fatalf("%v, length %d, stride %d: got %d, want %d", typ, n, stride, got, want)
						}
					}
				}
			}
		}
	})
}

// Random columns of edge values, at every alignment, with every stride around widths and vectors,
// under one to several conditions; some are longer than a piece of several passes.
func TestCountRandom(t *testing.T) {
	strides := []int{128, 192, 256, 1000, 20_000, 1 << 62}
	for stride := 1; stride <= 70; stride++ {
		strides = append(strides, stride)
	}
	kerneltest.Run(t, counters, func(t *testing.T, f counter) {
		random := rand.New(rand.NewPCG(7, 8))
		head, tail := kerneltest.Guarded(t, 40_000)
		for _, name := range typeNames {
			typ := mustType(t, name)
			edges := typ.edges()
			for round := range rounds.Of(600) {
				conds := randomConditions(random, typ, edges)
				p := mustCounter(t, typ, f, conds...)
				most := 2900
				if round%100 == 0 {
					most = 39_900
				}
				n, skip := random.IntN(most), random.IntN(64)
				b := head[skip : skip+n]
				if random.IntN(2) == 0 {
					b = tail[len(tail)-n:]
				}
				mix(random, typ, edges, b)
				for _, stride := range []int{typ.width, strides[random.IntN(len(strides))]} {
					got, want := p.CountStride(b, stride), wantedCount(typ, conds, b, stride)
					if got != want {
						t.Fatalf("%v %+v, length %d, stride %d: got %d, want %d", typ, conds, n, stride, got, want)
					}
				}
				if got, want := p.Count(b), countByIndex(p, b, typ.width); got != want {
					t.Fatalf("%v %+v, length %d: got %d, by Index %d", typ, conds, n, got, want)
				}
			}
		}
	})
}

// Overlapping values whose stride does not divide their width: some begin in one piece of a pass and end
// in the next.
func TestCountOverPieces(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	b := make([]byte, 5*16<<10)
	kerneltest.Run(t, counters, func(t *testing.T, f counter) {
		for name, stride := range map[string]int{"i32": 3, "u64be": 5, "f64": 7, "i64": 6} {
			typ := mustType(t, name)
			conds := []native{{question.NotEqual, 1, 0}, {question.NotEqual, 100, 0}} // two passes
			p := mustCounter(t, typ, f, conds...)
			mix(random, typ, []uint64{0, 1, 2, 100}, b)
			if got, want := p.CountStride(b, stride), wantedCount(typ, conds, b, stride); got != want {
				t.Errorf("%v, stride %d: got %d, want %d", typ, stride, got, want)
			}
		}
	})
}

// All 8-bit values under all pairs of conditions on two bounds: sets of ranges of every
// shape.
func TestCountIntersections(t *testing.T) {
	bounds := someBounds()
	var column [256 + 32]byte
	for i := range column {
		column[i] = byte(i)
	}
	kerneltest.Run(t, counters, func(t *testing.T, f counter) {
		for _, name := range []string{"u8", "i8"} {
			typ := mustType(t, name)
			for _, a := range bounds {
				for _, b := range bounds {
					for first := range question.Between {
						for second := range question.Between {
							conds := []native{{first, a, 0}, {second, b, 0}}
							p := mustCounter(t, typ, f, conds...)
							if got, want := p.Count(column[:]), wantedCount(typ, conds, column[:], 1); got != want {
								t.Fatalf("%v %+v: got %d, want %d", typ, conds, got, want)
							}
						}
					}
				}
			}
		}
	})
}

// So many values fit that every sum of a kernel would overflow several times.
func TestCountManyHits(t *testing.T) {
	b := make([]byte, 3*256*4*64+100)
	kerneltest.Run(t, counters, func(t *testing.T, f counter) {
		for _, name := range typeNames {
			typ := mustType(t, name)
			for _, stride := range []int{typ.width, 2 * typ.width} {
				p := mustCounter(t, typ, f, native{question.NotEqual, 1, 0})
				if got, want := p.CountStride(b, stride), (len(b)-typ.width)/stride+1; got != want {
					t.Errorf("%v, stride %d: got %d, want %d", typ, stride, got, want)
				}
			}
		}
	})
}

// A condition for each of many values makes as many arcs.
func TestCountManyArcs(t *testing.T) {
	kerneltest.Run(t, counters, func(t *testing.T, f counter) {
		for _, name := range []string{"u8", "i16be", "u32", "i64", "f32be", "f64"} {
			typ := mustType(t, name)
			var conds []native
			for raw := range uint64(50) {
				conds = append(conds, native{op: question.NotEqual, value: 2 * raw})
			}
			b := make([]byte, typ.width*3000)
			for i := range 3000 {
				typ.put(b[i*typ.width:], uint64(i)%120)
			}
			p := mustCounter(t, typ, f, conds...)
			if got, want := p.Count(b), wantedCount(typ, conds, b, typ.width); got != want {
				t.Errorf("%v: got %d, want %d", typ, got, want)
			}
		}
	})
}

// If all or no values fit, they are counted without reading, whatever the stride.
func TestCountTrivial(t *testing.T) {
	typ := mustType(t, "i32")
	all := mustCompile(t, typ, indexPlain, native{question.GreaterOrEqual, typ.signBit(), 0})
	none := mustCompile(t, typ, indexPlain, native{question.Less, 0, 0}, native{question.Greater, 0, 0})
	for n := range 40 {
		b := make([]byte, n)
		for _, stride := range []int{1, 3, 4, 5, 8, 100, 1 << 62} {
			want := 0
			for i := 0; i+4 <= n; i += stride {
				want++
			}
			if got := all.CountStride(b, stride); got != want {
				t.Errorf("length %d, stride %d, all fit: got %d, want %d", n, stride, got, want)
			}
			if got := none.CountStride(b, stride); got != 0 {
				t.Errorf("length %d, stride %d, none fit: got %d", n, stride, got)
			}
		}
	}
}

func TestCountAllocatesNothing(t *testing.T) {
	typ := mustType(t, "i32")
	p, err := Compile(typ, []question.Condition{{Op: question.Greater, Value: "0"}, {Op: question.NotEqual, Value: "10"}})
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 4096)
	if n := testing.AllocsPerRun(100, func() { p.Count(b); p.CountStride(b, 1) }); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}

func TestCountStridePanics(t *testing.T) {
	p := mustCompile(t, mustType(t, "u8"), indexPlain, native{question.Equal, 1, 0})
	defer func() {
		if recover() == nil {
			t.Error("a stride of 0 must panic")
		}
	}()
	p.CountStride(make([]byte, 8), 0)
}

// ISA describes both tables, so they must have the same instruction sets.
func TestCountersMatchVariants(t *testing.T) {
	if len(counters) != len(variants) {
		t.Fatalf("%d variants count, %d search", len(counters), len(variants))
	}
	for i := range counters {
		if counters[i].ISA != variants[i].ISA {
			t.Errorf("variant %d counts with %v and searches with %v", i, counters[i].ISA, variants[i].ISA)
		}
	}
}

// FuzzCount compares every variant with a count by Go's own operators.
func FuzzCount(f *testing.F) {
	f.Add([]byte("needle in a column of bytes"), uint8(4), uint8(3), uint64(5), uint64(9), uint16(4))
	f.Add(make([]byte, 700), uint8(8), uint8(1), uint64(1), uint64(0), uint16(8))
	f.Add([]byte{0, 0, 0xc0, 0x7f}, uint8(16), uint8(7), uint64(0), uint64(0), uint16(1))
	f.Fuzz(func(t *testing.T, b []byte, typ, op uint8, value, high uint64, stride uint16) {
		column := mustType(t, typeNames[int(typ)%len(typeNames)])
		c := native{question.Op(op) % (question.IsInf + 1), value & column.maxRank(), high & column.maxRank()}
		if stride == 0 || !c.allowed(column) {
			return
		}
		conds := []native{c, {question.NotEqual, high & column.maxRank(), 0}}
		for used := 1; used <= len(conds); used++ {
			want := wantedCount(column, conds[:used], b, int(stride))
			for _, v := range counters {
				if !cpu.Has(v.ISA) {
					continue
				}
				p := mustCounter(t, column, v.Func, conds[:used]...)
				if got := p.CountStride(b, int(stride)); got != want {
					t.Fatalf("%v %v %+v, stride %d: got %d, want %d", v.ISA, column, conds[:used], stride, got, want)
				}
			}
		}
	})
}

// BenchmarkCount counts in random bytes, so that no branch predictor can learn the matches.
func BenchmarkCount(b *testing.B) {
	const size = 128 << 10
	data := kerneltest.HugePages(b, size)
	random := rand.New(rand.NewPCG(9, 10))
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	for _, c := range []struct {
		typ    string
		conds  []question.Condition
		stride int
	}{
		{"u8", []question.Condition{{Op: question.Greater, Value: "100"}}, 1},
		{"i16", []question.Condition{{Op: question.Greater, Value: "100"}}, 2},
		{"i32", []question.Condition{{Op: question.Greater, Value: "100"}}, 4},
		{"i32be", []question.Condition{{Op: question.Greater, Value: "100"}}, 4},
		{"f32", []question.Condition{{Op: question.Greater, Value: "100"}}, 4},
		{"i64", []question.Condition{{Op: question.Greater, Value: "100"}}, 8},
		{"f64", []question.Condition{{Op: question.Greater, Value: "100"}}, 8},
		{"i32", []question.Condition{{Op: question.Greater, Value: "0"}, {Op: question.NotEqual, Value: "10"}}, 4},
		{"i32", []question.Condition{{Op: question.Greater, Value: "100"}}, 1},
		{"i32", []question.Condition{{Op: question.Greater, Value: "100"}}, 16},
		{"i32", []question.Condition{{Op: question.Greater, Value: "100"}}, 12},
	} {
		typ := mustType(b, c.typ)
		for _, v := range counters {
			p, err := compile(typ, c.conds, kernel.Variant[searcher]{Func: indexPlain})
			if err != nil {
				b.Fatal(err)
			}
			want := p.countPasses(data, c.stride, c.stride < typ.width)
			p.counter = v
			b.Run(fmt.Sprintf("of=%s/conds=%d/stride=%d/isa=%v", typ, len(c.conds), c.stride, v.ISA), func(b *testing.B) {
				if !cpu.Has(v.ISA) {
					b.Skipf("%v cannot run here", v.ISA)
				}
				b.SetBytes(size)
				for b.Loop() {
					if got := p.CountStride(data, c.stride); got != want {
						b.Fatalf("got %d, want %d", got, want)
					}
				}
			})
		}
	}
}
