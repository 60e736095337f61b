package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestInt(t *testing.T) {
	tests := []struct {
		name string
		add  func(s *Int)
		want string
	}{
		{"nothing", func(*Int) {}, "0"},
		{"one below", func(s *Int) { s.AddInt64(-1) }, "-1"},
		{"over 64 bits", func(s *Int) { s.AddUint64(math.MaxUint64); s.AddUint64(1) }, "18446744073709551616"},
		{"and back", func(s *Int) { s.AddUint64(math.MaxUint64); s.AddInt64(-1) }, "18446744073709551614"},
		{"lowest", func(s *Int) { s.MulAdd(math.MinInt64, 1<<63-1) },
			"-85070591730234615856620279821087277056"},
		{"highest", func(s *Int) { s.MulAddUint64(math.MaxUint64, 1<<63-1) },
			"170141183460469231704017187605319778305"},
		{"no times", func(s *Int) { s.MulAdd(-7, 0) }, "0"},
		{"zeros", func(s *Int) { s.MulAdd(0, math.MaxUint64) }, "0"},
		{"less than nothing", func(s *Int) { s.MulAdd(-3, 5); s.AddUint64(4) }, "-11"},
	}
	for _, test := range tests {
		var s Int
		test.add(&s)
		if got := s.String(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

func TestIntAgainstBig(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var all, left, right Int
		want := new(big.Int)
		for i := range 50 {
			half := &left
			if i%2 == 1 {
				half = &right
			}
			u, count := random.Uint64()>>random.IntN(64), random.Uint64()>>(8+random.IntN(56))
			v := int64(random.Uint64()) >> random.IntN(64)
			for _, s := range []*Int{&all, half} {
				s.AddUint64(u)
				s.AddInt64(v)
				s.MulAdd(v, count)
				s.MulAddUint64(u, count)
			}
			times := new(big.Int).SetUint64(count)
			times.Add(times, big.NewInt(1))
			signed := big.NewInt(v)
			want.Add(want, signed.Mul(signed, times))
			unsigned := new(big.Int).SetUint64(u)
			want.Add(want, unsigned.Mul(unsigned, times))
		}
		left.Merge(&right)
		if all.Big().Cmp(want) != 0 || left != all {
			t.Fatalf("got %v and merged %v, want %v", all.Big(), left.Big(), want)
		}
	}
}
