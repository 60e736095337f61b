package sketch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// textsKept is up to how many texts a count is exact.
var textsKept = exactMax.Real()

// textOf makes text number i: of any length, some alike but for a byte, some beyond textMax.
func textOf(i int) []byte {
	switch i % 8 {
	case 0:
		return fmt.Appendf(nil, "%d", i)
	case 1:
		return fmt.Appendf(nil, "%s%d", strings.Repeat("long ", 20), i)
	case 2:
		return []byte{byte(i), byte(i >> 8), byte(i >> 16), 0}
	case 3:
		return fmt.Appendf(nil, "%064d", i)
	case 4:
		return fmt.Appendf(nil, "%065d", i)
	}
	return fmt.Appendf(nil, "city number %d", i)
}

// splitTexts adds texts 0 to n-1, some twice, to several Distinct in random order, some by way
// of bytes, and merges them.
func splitTexts(t *testing.T, r *rand.Rand, n int) *Distinct {
	t.Helper()
	parts := make([]Distinct, 1+r.IntN(4))
	for _, i := range r.Perm(n) {
		for range 1 + i%2 {
			parts[r.IntN(len(parts))].Add(textOf(i))
		}
	}
	sum := new(Distinct)
	for _, i := range r.Perm(len(parts)) {
		part := parts[i]
		if r.IntN(2) == 0 {
			b := append(part.AppendBinary([]byte("before")), "behind"...)
			part = Distinct{}
			rest, err := part.Decode(b[len("before"):])
			if err != nil || string(rest) != "behind" {
				t.Fatalf("decode: %v, %q left", err, rest)
			}
		}
		sum.Merge(&part)
	}
	return sum
}

func TestDistinct(t *testing.T) {
	for _, n := range []int{0, 1, 2, fewMax, fewMax + 1, 100, 5000, textsKept, textsKept + 1, 200_000} {
		r := rand.New(rand.NewPCG(uint64(n), 3))
		got, exact := splitTexts(t, r, n).Count()
		again, _ := splitTexts(t, r, n).Count()
		if got != again {
			t.Errorf("%d texts: %d and %d", n, got, again)
		}
		if exact != (n <= textsKept) || exact && got != int64(n) {
			t.Errorf("%d texts: %d, exact: %v", n, got, exact)
		}
		if math.Abs(float64(got)-float64(n)) > float64(n)*DistinctError {
			t.Errorf("%d texts: %d", n, got)
		}
	}
}

// TestDistinctError looks at one sketch as it fills.
func TestDistinctError(t *testing.T) {
	var d Distinct
	next := textsKept + 1
	for i := range 2_000_000 {
		d.Add(fmt.Appendf(nil, "user %d", i))
		if i+1 < next {
			continue
		}
		next += next / 4
		got, _ := d.Count()
		if off := math.Abs(float64(got)/float64(i+1) - 1); off > DistinctError {
			t.Errorf("%d texts: %d, %.2f %% off", i+1, got, 100*off)
		}
	}
}

// TestDistinctAlike: what differs in its length or its form alone is not the same.
func TestDistinctAlike(t *testing.T) {
	var d Distinct
	texts := []string{"", "\x00", "\x00\x00", "a", "a\x00", strings.Repeat("a", textMax), strings.Repeat("a", textMax+1)}
	for range 2 {
		for _, s := range texts {
			d.Add([]byte(s))
		}
	}
	if n, _ := d.Count(); n != int64(len(texts)) {
		t.Fatalf("%d of %d texts", n, len(texts))
	}
}

func TestDistinctBytes(t *testing.T) {
	var d Distinct
	if d.Bytes() != 0 {
		t.Fatalf("nothing takes %d bytes", d.Bytes())
	}
	long := []byte(strings.Repeat("x", 1000))
	for i := range textsKept {
		d.Add(append(long, fmt.Sprint(i)...))
	}
	if got := d.Bytes(); got < 33*textsKept || got > 80*textsKept {
		t.Fatalf("%d long texts take %d bytes", textsKept, got)
	}
	d.Add(nil)
	if got := d.Bytes(); got > 1<<precision+1<<10 {
		t.Fatalf("the sketch takes %d bytes", got)
	}
}

func FuzzDistinctDecode(f *testing.F) {
	for _, n := range []int{0, 3, 100, textsKept + 1} {
		var d Distinct
		for i := range n {
			d.Add(textOf(i))
		}
		f.Add(d.AppendBinary(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var d, again Distinct
		if _, err := d.Decode(b); err != nil {
			if n, _ := d.Count(); n != 0 || d.Bytes() != 0 {
				t.Fatal("texts after an error")
			}
			return
		}
		n, exact := d.Count()
		if rest, err := again.Decode(d.AppendBinary(nil)); err != nil || len(rest) > 0 {
			t.Fatalf("what was read cannot be written and read: %v, %d bytes left", err, len(rest))
		}
		if m, e := again.Count(); m != n || e != exact {
			t.Fatalf("%d became %d", n, m)
		}
		d.Add([]byte("one more"))
	})
}

func BenchmarkDistinct(b *testing.B) {
	for _, n := range []int{4, 1000, textsKept, 4 * textsKept} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			texts := make([][]byte, n)
			var d Distinct
			for i := range texts {
				texts[i] = fmt.Appendf(nil, "user %d", i)
				d.Add(texts[i])
			}
			i := 0
			for b.Loop() {
				d.Add(texts[i])
				if i++; i == n {
					i = 0
				}
			}
		})
	}
}
