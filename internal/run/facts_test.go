package run

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/options"
)

// factsOf returns the facts for a file of that size.
func factsOf(t *testing.T, q *Query, bytes int, o Options) plan.Facts {
	t.Helper()
	name := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(name, make([]byte, bytes), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := Open(name, false)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	ask, err := q.places()
	if err != nil {
		t.Fatal(err)
	}
	job, err := newJob(in, ask, o)
	if err != nil {
		t.Fatal(err)
	}
	return job.Facts
}

// TestLittleWorkMeasuresNothing: the plan could not be another one.
func TestLittleWorkMeasuresNothing(t *testing.T) {
	for _, bytes := range []int{0, 1, 1024, int(plan.ShareBytesLeast())} {
		if f := factsOf(t, NonZero(), bytes, Options{}); f.Rates != (plan.Rates{}) {
			t.Errorf("%d bytes: %+v was measured", bytes, f.Rates)
		}
	}
}

// TestMeasured: the kernel is measured for more, and a wake-up where it could matter.
func TestMeasured(t *testing.T) {
	f := factsOf(t, NonZero(), int(plan.ShareBytesLeast())+1, Options{})
	if f.Rates.Kernel <= 0 {
		t.Errorf("%+v: the kernel was not measured", f.Rates)
	}
	const much = 32 << 20 // shared at any rate of the kernel
	f = factsOf(t, NonZero(), much, Options{})
	if measured := f.Rates.WakeSeconds > 0; measured != (f.Threads > 1) {
		t.Errorf("%+v with %d threads", f.Rates, f.Threads)
	}
	if f = factsOf(t, NonZero(), much, Options{Run: options.Run{Workers: 2}}); f.Rates.WakeSeconds != 0 {
		t.Errorf("%+v although the number of workers was asked for", f.Rates)
	}
}

func TestWake(t *testing.T) {
	if took, over := wake(0); took <= 0 || !over && runtime.GOMAXPROCS(0) == 1 {
		t.Errorf("a wake-up took %v, over %v", took, over)
	}
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("one thread wakes no other")
	}
	if took, over := wake(time.Minute); took <= 0 || over {
		t.Errorf("a wake-up took %v, over %v", took, over)
	}
}
