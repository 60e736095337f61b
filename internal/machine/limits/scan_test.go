package limits

import (
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/kerneltest"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Every variant must read every whole word: a scan that skips bytes would promise more than memory
// delivers.
func TestScanReadsEverything(t *testing.T) {
	kerneltest.Run(t, scans, func(t *testing.T, f func([]byte) uint64) {
		for _, n := range []int{0, 7, 8, 64, 128, 255, 256, 264, 512, 1000, 1024} {
			head, tail := kerneltest.Guarded(t, n)
			for _, b := range [][]byte{head, tail} {
				for word := 0; word < n/8; word++ {
					b[word*8+word%8] = 0x40
					if got := f(b); got == 0 {
						t.Fatalf("%d bytes: word %d was not read", n, word)
					}
					b[word*8+word%8] = 0
				}
				if got := f(b); got != 0 {
					t.Fatalf("%d bytes of zero: got %x", n, got)
				}
			}
		}
	})
}

func BenchmarkScan(b *testing.B) {
	data := make([]byte, 128<<10)
	fillRandom(data)
	want := scanPlain(data)
	for _, v := range scans {
		b.Run("impl="+v.ISA.String(), func(b *testing.B) {
			if !cpu.Has(v.ISA) {
				b.Skip("not offered here")
			}
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if got := v.Func(data); got != want {
					b.Fatalf("got %x, want %x", got, want)
				}
			}
		})
	}
}
