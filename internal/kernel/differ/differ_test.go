package differ

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// longest covers two blocks of the widest variant, and one byte.
const longest = 2*256 + 1

// wanted finds the first byte that is the same, or differs, in the most obvious way.
func wanted(a, b []byte, same bool) int {
	for i := range a {
		if (a[i] == b[i]) == same {
			return i
		}
	}
	return -1
}

// Every length, with every place of a single byte, between guard pages: each slice begins once and ends once at memory
// that must not be touched, and once each of the two does.
func TestEveryLengthAndPlace(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, f pair) {
		head, tail := kerneltest.Guarded(t, longest)
		otherHead, otherTail := kerneltest.Guarded(t, longest)
		for n := range longest + 1 {
			for _, s := range [][2][]byte{{head[:n], otherTail[longest-n:]}, {tail[longest-n:], otherHead[:n]}} {
				a, b := s[0], s[1]
				for i := range a {
					a[i], b[i] = byte(i), byte(i)
				}
				if got := f.differs(a, b); got != -1 {
					t.Fatalf("%d equal bytes: got %d", n, got)
				}
				for i := range a {
					b[i] ^= 1 << (i % 8)
					if got := f.differs(a, b); got != i {
						t.Fatalf("length %d, byte at %d differs: got %d", n, i, got)
					}
					b[i] = a[i]
				}
				for i := range a {
					b[i] = ^a[i]
				}
				if got := f.equals(a, b); got != -1 {
					t.Fatalf("%d bytes that differ: got %d", n, got)
				}
				for i := range a {
					b[i] = a[i]
					if got := f.equals(a, b); got != i {
						t.Fatalf("length %d, byte at %d is equal: got %d", n, i, got)
					}
					b[i] = ^a[i]
				}
			}
		}
	})
}

// The slices have any alignment, each its own, and what lies around them is different, or the same.
func TestEveryAlignment(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, f pair) {
		one, other := make([]byte, 64+longest+64), make([]byte, 64+longest+64)
		for start := range 64 {
			for _, n := range []int{0, 1, 15, 16, 31, 32, 63, 64, 65, 127, 255, 256, 257, longest} {
				a, b := one[start:start+n], other[(start*29)%64:][:n]
				for i := range one {
					one[i], other[i] = 0xff, 0
				}
				clear(a)
				if got := f.differs(a, b); got != -1 {
					t.Fatalf("start %d, %d equal bytes: got %d", start, n, got)
				}
				for i := n - 1; i >= 0; i -= 1 + n/37 {
					a[i] = 0x80
					if got := f.differs(a, b); got != i {
						t.Fatalf("start %d, length %d, byte at %d: got %d", start, n, i, got)
					}
				}
			}
		}
	})
}

func TestRandom(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, f pair) {
		random := rand.New(rand.NewPCG(1, 2))
		for range 20_000 {
			a := make([]byte, random.IntN(2000))
			b := bytes.Clone(a)
			if random.IntN(2) == 0 {
				for i := range b {
					b[i] = 1
				}
			}
			for range random.IntN(4) {
				if len(b) > 0 {
					b[random.IntN(len(b))] ^= byte(random.IntN(256))
				}
			}
			if got, want := f.differs(a, b), wanted(a, b, false); got != want {
				t.Fatalf("length %d differs: got %d, want %d", len(b), got, want)
			}
			if got, want := f.equals(a, b), wanted(a, b, true); got != want {
				t.Fatalf("length %d equals: got %d, want %d", len(b), got, want)
			}
		}
	})
}

// TestRuns has slices longer than a piece, with runs around the borders of pieces.
func TestRuns(t *testing.T) {
	kerneltest.Run(t, variants, func(t *testing.T, f pair) {
		k := Kernel{kernel.Variant[pair]{Func: f}}
		random := rand.New(rand.NewPCG(3, 4))
		for range 200 {
			a := make([]byte, random.IntN(3*pieceBytes))
			b := bytes.Clone(a)
			for range random.IntN(6) {
				from := min(random.IntN(4)*pieceBytes+random.IntN(5)-2, len(b))
				for i := max(from, 0); i < min(from+random.IntN(2*pieceBytes), len(b)); i++ {
					b[i] = 7
				}
			}
			got := bytes.Clone(a)
			last := -1
			k.Runs(a, b, func(from, to int) bool {
				if from <= last || from >= to {
					t.Fatalf("a run from %d to %d after one that ends at %d", from, to, last)
				}
				for i := from; i < to; i++ {
					got[i] = 7
				}
				last = to
				return true
			})
			if !bytes.Equal(got, b) {
				t.Fatalf("%d bytes: the runs are not those that differ", len(a))
			}
		}
	})
}

// FuzzIndex checks that all variants agree with a search byte by byte.
func FuzzIndex(f *testing.F) {
	f.Add([]byte(nil), []byte(nil), uint16(0))
	f.Add([]byte{0, 0, 1}, []byte{0, 0, 2}, uint16(700))
	f.Fuzz(func(t *testing.T, one, other []byte, equal uint16) {
		n := min(len(one), len(other))
		a, b := append(make([]byte, equal), one[:n]...), append(make([]byte, equal), other[:n]...)
		for _, v := range variants {
			if !cpu.Has(v.ISA) {
				continue
			}
			if got, want := v.Func.differs(a, b), wanted(a, b, false); got != want {
				t.Fatalf("%v differs: got %d, want %d", v.ISA, got, want)
			}
			if got, want := v.Func.equals(a, b), wanted(a, b, true); got != want {
				t.Fatalf("%v equals: got %d, want %d", v.ISA, got, want)
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
				one, other := kerneltest.HugePages(b, size), kerneltest.HugePages(b, size)
				one[size-1] = 1
				b.SetBytes(int64(size))
				for b.Loop() {
					if got := v.Func.differs(one, other); got != size-1 {
						b.Fatalf("got %d, want %d", got, size-1)
					}
				}
			})
		}
	}
}
