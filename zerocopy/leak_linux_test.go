package zerocopy_test

import (
	"io"
	"os"
	"testing"

	"github.com/thresh-dev/thresh/zerocopy"
)

// No copy of the table leaves a descriptor open, except pipes that are kept for reuse.
func TestNoDescriptorStays(t *testing.T) {
	round := func() int {
		for _, c := range endsCases {
			s := &stage{dir: t.TempDir()}
			dst, src := c.ends(s)
			if _, err := zerocopy.Copy(dst, src); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			s.strike()
		}
		return len(must(os.ReadDir("/proc/self/fd")))
	}
	warm := round()
	if now := round(); now > warm {
		t.Errorf("%d descriptors after one round, %d after another", warm, now)
	}
}

// A transfer makes the same number of allocations whatever the number of its slices.
func TestNoAllocationPerSlice(t *testing.T) {
	f, _ := made(t, 4<<20)
	near, far := pair(t, "tcp")
	go io.Copy(io.Discard, struct{ io.Reader }{far})
	run := func(allow int64) float64 {
		var n zerocopy.Counter
		w := zerocopy.NewWriter(near, allowing(allow), zerocopy.Count(&n))
		return testing.AllocsPerRun(10, func() {
			if _, err := zerocopy.SendFile(zerocopy.NewConn(near, zerocopy.Hooks{}), f, 0, 1<<20); err != nil {
				t.Fatal(err)
			}
			if _, err := zerocopy.Copy(w, zerocopy.NewSection(f, 0, 1<<20, nil)); err != nil {
				t.Fatal(err)
			}
		})
	}
	// All goroutines of the test count, so a few allocations more mean nothing.
	const slices = 1 << 20 / (1 << 12)
	if few, many := run(1<<20), run(1<<12); many > few+slices/8 {
		t.Errorf("%v allocations for few slices, %v for many", few, many)
	}
	near.Close()
}
