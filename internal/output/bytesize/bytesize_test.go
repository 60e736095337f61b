package bytesize

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dustin/go-humanize"
)

// TestText compares with the library that everybody uses.
func TestText(t *testing.T) {
	values := []int64{0, 1, 9, 10, 99, 100, 999, 1000, 1023, 1024, 1535, 10_188, 10_189, 10_239, 10_240, 999_999,
		1 << 20, 1<<20 - 1, 1<<30 - 1, 1 << 30, 1 << 40, 1 << 50, 1 << 60, math.MaxInt64}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		values = append(values, r.Int64()>>r.IntN(63))
	}
	for _, n := range values {
		if got, want := Text(n), humanize.IBytes(uint64(n)); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
}

// TestUnits shows what the other texts are.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		n                       int64
		precise, short, decimal string
	}{
		{0, "0 bytes", "0 bytes", "0 B"}, {1, "1 byte", "1 byte", "1 B"}, {999, "999 bytes", "999 bytes", "999 B"},
		{1000, "1000 bytes", "1000 bytes", "1 kB"}, {1024, "1.00 KiB", "1 KiB", "1 kB"},
		{1536, "1.50 KiB", "1.5 KiB", "1.5 kB"}, {12 << 20, "12.00 MiB", "12 MiB", "13 MB"},
		{1_500_000, "1.43 MiB", "1.4 MiB", "1.5 MB"}, {999_960, "976.52 KiB", "976.5 KiB", "1000 kB"},
		{1023 << 20, "1023.00 MiB", "1023 MiB", "1.1 GB"}, {5 << 40, "5.00 TiB", "5 TiB", "5.5 TB"},
		{math.MaxInt64, "8.00 EiB", "8 EiB", "9.2 EB"},
	} {
		if p, s, d := Precise(c.n), Short(c.n), Decimal(c.n); p != c.precise || s != c.short || d != c.decimal {
			t.Errorf("%d: got %q, %q, %q, want %q, %q, %q", c.n, p, s, d, c.precise, c.short, c.decimal)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "4096": 4096, "0x10": 16, "0xB": 11, "1k": 1000, "1K": 1000, "2KiB": 2048, "1.5k": 1500,
		"3 MB": 3e6, "7B": 7, "1TiB": 1 << 40, "0.5GiB": 1 << 29} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "k", "x", "-1", "-0.5k", "1e30", "9000000000G", "5TiBB", "1kk", "NaN", "Inf"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q: got %d", text, got)
		}
	}
}
