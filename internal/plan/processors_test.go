package plan

import (
	"testing"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// TestMoreProcessors: with more processors there are never fewer workers, whatever the engine, what a worker needs,
// and whether the bound grows with them.
func TestMoreProcessors(t *testing.T) {
	inputs := map[string][]source.Region{
		"cached": {cached(0, 8*gib)}, "cold": {cold(0, 8*gib)}, "half": {cached(0, 4*gib), cold(4*gib, 8*gib)},
	}
	for name, left := range inputs {
		for _, engine := range []string{Auto, Pread, Mmap, Stream} {
			for _, worker := range []int64{0, 1 * mib, 8 * mib, 20 * mib} {
				for _, each := range []int64{0, 24 * mib} {
					before := 0
					for threads := 1; threads <= 256; threads++ {
						f := Facts{Threads: threads, Left: left, Worker: worker, Ahead: 16 * kib, InOrder: worker > 0,
							Want: Want{Engine: engine, MemBytes: max(256*mib, each*int64(threads))}}
						if engine == Stream {
							f.Kind, f.Left = source.Stream, nil
						}
						d, err := Decide(f)
						if err != nil {
							t.Fatal(err)
						}
						n := d.workers()
						all := name == "cached" && engine != Stream && each > 0 && worker <= 8*mib
						if n < before || all && n < threads {
							t.Fatalf("%s, engine %s, %d bytes a worker, %d a processor: %d workers on %d processors, %d on one fewer",
								name, engine, worker, each, n, threads, before)
						}
						before = n
					}
				}
			}
		}
	}
}
