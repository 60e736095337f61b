package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// TestShare checks that the number of workers and the size of pieces follow the measured rates.
func TestShare(t *testing.T) {
	const least = 64 * kib // piece
	slow, fast := Rates{Kernel: 50e6, CopyOne: 10e9, WakeSeconds: 10e-6}, Rates{Kernel: 100e9, CopyOne: 100e9, WakeSeconds: 20e-6}
	tests := []struct {
		name    string
		bytes   int64
		threads int
		rates   Rates
		workers int
		piece   int
	}{
		{"below the least", 2 * least, 8, slow, 1, 2 * mib},
		{"a slow kernel, just above it", 2*least + 1, 8, slow, 2, least},
		{"a slow kernel, work for three", 3 * least, 8, slow, 3, least},
		{"a slow kernel, work for all", 2 * mib, 8, slow, 8, least},
		{"nothing measured, little", 1000 * 1000, 8, Rates{}, 1, 2 * mib},
		{"nothing measured, more", 2000 * 1000, 8, Rates{}, 2, 128 * kib},
		{"a fast kernel wants more", 9 * 1000 * 1000, 8, fast, 1, 2 * mib},
		{"a fast kernel has enough", 16 * 1000 * 1000, 8, fast, 3, 1 * mib},
		{"a busy machine does not hinder long work", 64 * mib, 8, Rates{WakeSeconds: 1}, 8, 2 * mib},
		{"one thread", 64 * mib, 1, Rates{}, 1, 2 * mib},
	}
	for _, test := range tests {
		f := Facts{Threads: test.threads, Rates: test.rates, Left: []source.Region{cached(0, test.bytes)}}
		d, err := Decide(f)
		if err != nil {
			t.Fatal(err)
		}
		if l := d.Lanes[0]; l.Workers != test.workers || l.Config.PieceBytes != test.piece {
			t.Errorf("%s: %d workers, pieces of %d; want %d and %d", test.name, l.Workers, l.Config.PieceBytes,
				test.workers, test.piece)
		}
	}
}

// TestWakeWorth checks that sharing pays with a wake-up up to that time, and not with a longer
// one.
func TestWakeWorth(t *testing.T) {
	r := Rates{Kernel: 30e9, CopyOne: 15e9}
	for _, bytes := range []int64{1 * mib, 3 * mib, 2*int64(workerBytesMax.Real()) - 1} {
		worth := r.WakeWorth(bytes)
		f := Facts{Threads: 2, Rates: r, Left: []source.Region{cached(0, bytes)}}
		f.Rates.WakeSeconds = (worth - time.Microsecond).Seconds()
		if n := workers(f); n != 2 || !f.Rates.Shares(bytes) {
			t.Errorf("%d bytes, a wake-up of less than %v: %d workers", bytes, worth, n)
		}
		f.Rates.WakeSeconds = (worth + time.Microsecond).Seconds()
		if n := workers(f); n != 1 || f.Rates.Shares(bytes) {
			t.Errorf("%d bytes, a wake-up of more than %v: %d workers", bytes, worth, n)
		}
	}
	if a, b := r.WakeWorth(2*int64(workerBytesMax.Real())), r.WakeWorth(1<<50); a != b {
		t.Errorf("%v is waited for a terabyte, %v for %d bytes", b, a, 2*int64(workerBytesMax.Real()))
	}
}

func TestSharingSaysWhatIsMeasured(t *testing.T) {
	f := Facts{Threads: 2, Rates: Rates{Kernel: 20e9, CopyOne: 20e9, WakeSeconds: 20e-6}}
	want := "from 1.9 MiB on: the kernel does 20.0 GB/s (measured), reading 20.0 GB/s (measured), " +
		"waking a worker takes 20 us (measured)"
	if got := f.Sharing(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	f.Rates.WakeOver = true
	if got := f.Sharing(); !strings.HasPrefix(got, "from more than 1.9 MiB on") || !strings.Contains(got, "takes more than 20 us") {
		t.Errorf("%q does not say that more is possible", got)
	}
	f.Rates = Rates{}
	if got := f.Sharing(); strings.Contains(got, "measured") {
		t.Errorf("%q, but nothing was measured", got)
	}
	f.Threads = 1
	if got := f.Sharing(); !strings.HasPrefix(got, "never") {
		t.Errorf("%q for one thread", got)
	}
}
