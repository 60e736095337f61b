package gather

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// one returns the bytes of the i-th value: what the others must copy.
func one(b []byte, width, stride, i int) []byte { return b[i*stride : i*stride+width] }

// check gathers n values of b, which end where b does, and looks at the bytes around them.
func check(t testing.TB, f Func, b []byte, n, width, stride int) {
	t.Helper()
	const canary = 0xa5
	room := bytes.Repeat([]byte{canary}, n*width+64)
	to := room[32 : 32+n*width]
	f(to, b, width, stride)
	for i := range n {
		if got, want := to[i*width:][:width], one(b, width, stride, i); !bytes.Equal(got, want) {
			t.Fatalf("%d values of %d bytes every %d: value %d is %x, want %x", n, width, stride, i, got, want)
		}
	}
	if around := append(room[:32:32], room[32+len(to):]...); !bytes.Equal(around, bytes.Repeat([]byte{canary}, 64)) {
		t.Fatalf("%d values of %d bytes every %d: bytes around them were written", n, width, stride)
	}
}

// TestEveryStride gathers all numbers of values around the vector width, flush against pages that
// fault.
func TestEveryStride(t *testing.T) {
	const most = 4 << 10
	head, tail := kerneltest.Guarded(t, most)
	for i := range most {
		head[i], tail[i] = byte(i*7+i>>8), byte(i*5+i>>8)
	}
	kerneltest.Run(t, variants, func(t *testing.T, f Func) {
		for _, width := range []int{1, 2, 4, 8} {
			for stride := 1; stride <= 40; stride++ {
				for n := 0; n <= 70; n += 1 + n/20 {
					size := max(0, n-1)*stride + width
					if n == 0 {
						size = 0
					}
					for _, b := range [][]byte{head[:size], tail[most-size:]} {
						check(t, f, b, n, width, stride)
					}
				}
			}
		}
	})
}

func TestCount(t *testing.T) {
	for _, test := range []struct{ n, width, stride, want int }{
		{0, 1, 1, 0}, {3, 4, 5, 0}, {4, 4, 5, 1}, {8, 4, 5, 1}, {9, 4, 5, 2}, {10, 4, 1, 7},
	} {
		if got := Count(make([]byte, test.n), test.width, test.stride); got != test.want {
			t.Errorf("%+v: %d", test, got)
		}
	}
}

func FuzzGather(f *testing.F) {
	f.Add([]byte("some bytes in which values begin every so often"), uint8(2), uint8(5))
	f.Fuzz(func(t *testing.T, b []byte, width, stride uint8) {
		w, s := 1<<(width%4), int(stride)+1
		n := Count(b, w, s)
		for _, v := range variants {
			if cpu.Has(v.ISA) {
				check(t, v.Func, b, n, w, s)
			}
		}
	})
}

func BenchmarkGather(b *testing.B) {
	for _, v := range variants {
		for _, width := range []int{1, 4, 8} {
			for _, stride := range []int{3, 5, 7, 12, 24, 100} {
				b.Run(fmt.Sprintf("isa=%v/width=%d/stride=%d", v.ISA, width, stride), func(b *testing.B) {
					if !cpu.Has(v.ISA) {
						b.Skipf("%v cannot run here", v.ISA)
					}
					data := kerneltest.HugePages(b, 8<<10)
					to := make([]byte, Count(data, width, stride)*width)
					b.SetBytes(int64(len(data)))
					for b.Loop() {
						v.Func(to, data, width, stride)
					}
				})
			}
		}
	}
}
