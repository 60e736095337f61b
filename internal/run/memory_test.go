package run

import (
	"errors"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/options"
)

// TestLowerMemory crosses the border from which on the default bound is half of what is left.
func TestLowerMemory(t *testing.T) {
	const mib = 1 << 20
	for _, test := range []struct {
		asked, available, least int64 // in MiB
		want                    int64
		why                     string
		workers                 int
	}{
		{0, 512, 0, 256, "", 2},
		{0, 511, 0, 255, "255.50 MiB: only 511.00 MiB", 2},
		{0, 48, 0, 24, "24.00 MiB: only 48.00 MiB", 2},
		{0, 48, 64, 64, "64.00 MiB: only 48.00 MiB", 2},
		{0, 0, 0, 256, "", 2}, // unknown
		{300, 48, 0, 300, "", 2},
		{256, 48, 0, 256, "", 2},
		// Many workers get 24 MiB each, as far as that is a quarter.
		{0, 1 << 20, 0, 256, "", 10},
		{0, 1 << 20, 0, 264, "", 11},
		{0, 1 << 20, 0, 3072, "", 128},
		{0, 8192, 0, 2048, "", 128},
		{0, 1024, 0, 256, "", 128},
		{0, 511, 0, 255, "255.50 MiB: only 511.00 MiB", 128},
		{0, 0, 0, 3072, "", 128},
		{300, 1 << 20, 0, 300, "", 128},
	} {
		o := Options{Run: options.Run{MemoryBytes: test.asked * mib, Workers: test.workers}}
		if err := o.check(); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time changes nothing
			err := o.lowerMemory(test.least*mib, func() (int64, error) { return test.available * mib, nil })
			if err != nil || o.MemoryBytes/mib != test.want || (o.memoryWhy == "") != (test.why == "") ||
				!strings.Contains(o.memoryWhy, test.why) {
				t.Errorf("%+v: %d, %q, %v", test, o.MemoryBytes, o.memoryWhy, err)
			}
		}
	}
	o := Options{}
	fails := errors.New("no such file")
	err := errors.Join(o.check(), o.lowerMemory(0, func() (int64, error) { return 0, fails }))
	if !errors.Is(err, fails) || !strings.Contains(err.Error(), "Run.MemoryBytes") {
		t.Error(err)
	}
}
