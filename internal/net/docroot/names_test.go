package docroot

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestCompareNames(t *testing.T) {
	want := []string{"", "07", "7", "007b", "7b", "10", "a", "B", "b", "data2", "Data2.csv", "data2.csv", "data010.csv", "data10.csv",
		"data99999999999999999999.csv", "data100000000000000000000.csv", "É", "é", "ü", "\xff"}
	got := slices.Clone(want)
	r := rand.New(rand.NewPCG(1, 37))
	for range 100 {
		r.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		if slices.SortFunc(got, compareNames); !slices.Equal(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
	}
	const letters = "aA1029.é"
	name := func() string {
		b := make([]byte, r.IntN(5))
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		return string(b)
	}
	for range 100_000 { // an order: of all, and one way only
		a, b, c := name(), name(), name()
		if compareNames(a, b) != -compareNames(b, a) || (compareNames(a, b) == 0) != (a == b) {
			t.Fatalf("%q %q: %d and %d", a, b, compareNames(a, b), compareNames(b, a))
		}
		if compareNames(a, b) < 0 && compareNames(b, c) < 0 && compareNames(a, c) >= 0 {
			t.Fatalf("%q < %q < %q", a, b, c)
		}
	}
}
