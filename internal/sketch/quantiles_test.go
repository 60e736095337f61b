package sketch

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh/internal/decimal"
)

// ranks are the shares that tests ask for, of 1000.
var ranks = []uint64{0, 10, 70, 500, 990, 1000}

// distributions make values of very different kinds.
var distributions = map[string]func(r *rand.Rand) decimal.Number{
	"uniform": func(r *rand.Rand) decimal.Number { return decimal.FromPlain(r.Int64N(1e9), 2) },
	"small":   func(r *rand.Rand) decimal.Number { return decimal.FromPlain(r.Int64N(7)-3, 0) },
	"normal": func(r *rand.Rand) decimal.Number {
		return decimal.FromPlain(int64(r.NormFloat64()*1000), r.IntN(4))
	},
	"floats": func(r *rand.Rand) decimal.Number { return decimal.FromFloat(r.NormFloat64()) },
	"wide":   func(r *rand.Rand) decimal.Number { return decimal.FromFloat(math.Exp(r.NormFloat64() * 200)) },
	"mixed": func(r *rand.Rand) decimal.Number {
		switch r.IntN(4) {
		case 0:
			return decimal.FromFloat(float64(r.IntN(9)) / 2)
		case 1:
			return decimal.FromPlain(r.Int64()-1<<62, r.IntN(19))
		case 2:
			n, _ := decimal.Parse([]byte("-123456789012345678901234567890.5"))
			return n
		}
		return decimal.FromPlain(r.Int64N(100)*5, 1)
	},
	"zeros": func(r *rand.Rand) decimal.Number { return decimal.FromPlain(r.Int64N(3)/2, 0) },
}

// split adds values to several Quantiles in random order, some by way of bytes, and merges them.
func split(t *testing.T, r *rand.Rand, values []decimal.Number) *Quantiles {
	t.Helper()
	parts := make([]Quantiles, 1+r.IntN(5))
	for _, i := range r.Perm(len(values)) {
		v, part := values[i], &parts[r.IntN(len(parts))]
		if m, exact, ok := v.Mantissa(3); !v.IsFloat() && exact && ok && r.IntN(2) == 0 {
			part.AddPlain(m, 3)
		} else {
			part.Add(v)
		}
	}
	sum := new(Quantiles)
	for _, i := range r.Perm(len(parts)) {
		part := parts[i]
		if r.IntN(2) == 0 {
			b := append(part.AppendBinary([]byte("before")), "behind"...)
			part = Quantiles{}
			rest, err := part.Decode(b[len("before"):])
			if err != nil || string(rest) != "behind" {
				t.Fatalf("decode: %v, %q left", err, rest)
			}
		}
		sum.Merge(&part)
	}
	return sum
}

func TestQuantiles(t *testing.T) {
	for name, draw := range distributions {
		for _, n := range []int{1, 2, 3, 100, 1001, ExactMax, ExactMax + 1} {
			r := rand.New(rand.NewPCG(uint64(n), 7))
			values := make([]decimal.Number, n)
			for i := range values {
				values[i] = draw(r)
			}
			a, b := split(t, r, values), split(t, r, values)
			slices.SortFunc(values, ascending)
			for _, p := range ranks {
				rank := max((int(p)*n+999)/1000, 1)
				want := values[rank-1]
				got, exact := a.Quantile(p, 1000)
				again, _ := b.Quantile(p, 1000)
				if got.Text(9) != again.Text(9) {
					t.Fatalf("%s, %d values: p%d/10 is %s and %s", name, n, p, got.Text(9), again.Text(9))
				}
				if exact != (n <= ExactMax) {
					t.Fatalf("%s, %d values: exact is %v", name, n, exact)
				}
				if exact && got.Text(9) != want.Text(9) {
					t.Fatalf("%s, %d values: p%d/10 is %s, want %s", name, n, p, got.Text(9), want.Text(9))
				}
				w := want.Float64()
				if off := math.Abs(got.Float64() - w); off > math.Abs(w)*QuantileError {
					t.Fatalf("%s, %d values: p%d/10 is %v, want %v", name, n, p, got.Float64(), w)
				}
			}
			if a.N() != int64(n) {
				t.Fatalf("%d values, want %d", a.N(), n)
			}
		}
	}
}

func TestQuantilesNone(t *testing.T) {
	var q Quantiles
	if v, exact := q.Quantile(1, 2); v.Text(0) != "0" || !exact || q.N() != 0 || q.Bytes() != 0 {
		t.Fatalf("nothing has a median of %s (exact: %v) and takes %d bytes", v.Text(0), exact, q.Bytes())
	}
}

// TestHistogramEdges: buckets hold their ends, and the ends of the range of float64.
func TestHistogramEdges(t *testing.T) {
	inf := math.Inf(1)
	for _, v := range []float64{0, 1, 2, 0x1p-1022, 0x1p-1021, 1e-300, math.MaxFloat64, inf, math.Nextafter(2, 0), 1.0078125} {
		for _, sign := range []float64{1, -1} {
			var h histogram
			h.add(sign*v, 1)
			want := sign * min(v, math.MaxFloat64)
			got := h.at(1)
			if math.Abs(v) < 0x1p-1022 && got != 0 || math.Abs(v) >= 0x1p-1021 && math.Abs(got-want) > math.Abs(want)*QuantileError {
				t.Errorf("%v is told as %v", want, got)
			}
		}
	}
}

func TestQuantilesBytes(t *testing.T) {
	var q Quantiles
	for i := range int64(ExactMax) {
		q.AddPlain(i, 2)
	}
	if got := q.Bytes(); got < 8*ExactMax || got > 12*ExactMax {
		t.Fatalf("%d values take %d bytes", ExactMax, got)
	}
	q.AddPlain(1, 2)
	if got := q.Bytes(); got > 8*ExactMax {
		t.Fatalf("the histogram takes %d bytes", got)
	}
}

func FuzzQuantilesDecode(f *testing.F) {
	var few, many Quantiles
	few.AddPlain(5, 1)
	few.Add(decimal.FromFloat(0.1))
	for i := range int64(ExactMax + 1) {
		many.AddPlain(i%1000, 1)
	}
	f.Add(few.AppendBinary(nil))
	f.Add(many.AppendBinary(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		var q, again Quantiles
		if _, err := q.Decode(b); err != nil {
			if q.N() != 0 || q.Bytes() != 0 {
				t.Fatal("values after an error")
			}
			return
		}
		got, exact := q.Quantile(1, 2)
		if rest, err := again.Decode(q.AppendBinary(nil)); err != nil || len(rest) > 0 {
			t.Fatalf("what was read cannot be written and read: %v, %d bytes left", err, len(rest))
		}
		if second, e := again.Quantile(1, 2); second.Compare(got) != 0 || e != exact {
			t.Fatalf("%s became %s", got.Text(0), second.Text(0))
		}
	})
}

func BenchmarkQuantiles(b *testing.B) {
	b.Run("exact", func(b *testing.B) {
		var q Quantiles
		for i := int64(0); b.Loop(); i++ {
			if q.N() == ExactMax {
				q = Quantiles{}
			}
			q.AddPlain(i, 2)
		}
	})
	b.Run("sketched", func(b *testing.B) {
		var q Quantiles
		for i := range int64(ExactMax + 1) {
			q.AddPlain(i, 2)
		}
		for i := int64(0); b.Loop(); i++ {
			q.AddPlain(i&0xfffff, 2)
		}
	})
}
