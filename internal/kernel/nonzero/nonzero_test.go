package nonzero

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// longest covers two blocks of the widest variant, and one byte.
const longest = 2*512 + 1

// wanted finds the right answer in the most obvious way.
func wanted(b []byte) int { return slices.IndexFunc(b, func(c byte) bool { return c != 0 }) }

// Every length, with every place of a single byte, between guard pages: each slice begins once and
// ends once at memory that must not be touched.
func TestEveryLengthAndPlace(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, index Func) {
		head, tail := kerneltest.Guarded(t, longest)
		for n := range longest + 1 {
			for _, b := range [][]byte{head[:n], tail[longest-n:]} {
				if got := index(b); got != -1 {
					t.Fatalf("%d zeros: got %d, want -1", n, got)
				}
				for i := range b {
					b[i] = 1 << (i % 8)
					if got := index(b); got != i {
						t.Fatalf("length %d, byte at %d: got %d", n, i, got)
					}
					b[i] = 0
				}
			}
		}
	})
}

// The bytes around the slice are set, and so are later ones inside it: neither may be taken for the
// answer.
func TestEveryAlignment(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, index Func) {
		buffer := make([]byte, 64+longest+64)
		for start := range 64 {
			for _, n := range []int{0, 1, 15, 16, 31, 32, 63, 64, 65, 255, 512, 513, longest} {
				for i := range buffer {
					buffer[i] = 0xff
				}
				b := buffer[start : start+n]
				clear(b)
				if got := index(b); got != -1 {
					t.Fatalf("start %d, %d zeros: got %d, want -1", start, n, got)
				}
				for i := n - 1; i >= 0; i -= 1 + n/37 {
					b[i] = 0x80
					if got := index(b); got != i {
						t.Fatalf("start %d, length %d, first byte at %d: got %d", start, n, i, got)
					}
				}
			}
		}
	})
}

func TestBestIsAllowed(t *testing.T) {
	best := Best()
	if !cpu.Has(best.ISA) {
		t.Errorf("Best is %v, which cannot run here", best.ISA)
	}
	if got := best.Func([]byte{0, 0, 7, 0}); got != 2 {
		t.Errorf("Best finds the byte at %d, want 2", got)
	}
}

// FuzzIndex checks three invariants for every variant: it agrees with a byte-by-byte search, the
// byte it finds is not zero, and the bytes before that one are.
func FuzzIndex(f *testing.F) {
	f.Add([]byte(nil), uint16(0))
	f.Add([]byte{0, 0, 1}, uint16(700))
	f.Add(make([]byte, 100), uint16(0))
	f.Fuzz(func(t *testing.T, data []byte, zeros uint16) {
		b := append(make([]byte, zeros), data...)
		want := wanted(b)
		for _, v := range variants {
			if !cpu.Has(v.ISA) {
				continue
			}
			got := v.Func(b)
			if got != want {
				t.Fatalf("%v: got %d, want %d", v.ISA, got, want)
			}
			if got >= 0 && b[got] == 0 {
				t.Fatalf("%v: byte %d is zero", v.ISA, got)
			}
			if wanted(b[:max(got, 0)]) != -1 {
				t.Fatalf("%v: a byte before %d is not zero", v.ISA, got)
			}
		}
	})
}

// A variant may process a long slice in pieces: places around every possible border.
func TestLong(t *testing.T) {
	const bytes = 1<<20 + 3
	kerneltest.Run(t, variants, func(t *testing.T, index Func) {
		b := make([]byte, bytes)
		if got := index(b); got != -1 {
			t.Fatalf("%d zeros: got %d, want -1", bytes, got)
		}
		for border := 64 << 10; border <= bytes; border += 64 << 10 {
			for i := border - 2; i <= border+2; i++ {
				b[i] = 1
				if got := index(b); got != i {
					t.Fatalf("byte at %d: got %d", i, got)
				}
				b[i] = 0
			}
		}
	})
}

func TestRandom(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, index Func) {
		random := rand.New(rand.NewPCG(1, 2))
		for range 20_000 {
			b := make([]byte, random.IntN(2000))
			for range random.IntN(3) {
				if len(b) > 0 {
					b[random.IntN(len(b))] = byte(random.IntN(256))
				}
			}
			if got, want := index(b), wanted(b); got != want {
				t.Fatalf("length %d: got %d, want %d", len(b), got, want)
			}
		}
	})
}

func BenchmarkIndex(b *testing.B) {
	for _, v := range variants {
		if !cpu.Has(v.ISA) {
			continue
		}
		for _, size := range []int{64, 4 << 10, 256 << 10, 64 << 20} {
			b.Run(fmt.Sprintf("isa=%v/size=%d", v.ISA, size), func(b *testing.B) {
				data := kerneltest.HugePages(b, size)
				data[size-1] = 1
				b.SetBytes(int64(size))
				for b.Loop() {
					if got := v.Func(data); got != size-1 {
						b.Fatalf("got %d, want %d", got, size-1)
					}
				}
			})
		}
	}
}
