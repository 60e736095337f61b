package run

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// TestShrunkDependOnNothing runs the random suites with all sizes shrunk, those with one size side by side.
func TestShrunkDependOnNothing(t *testing.T) {
	for _, n := range []int{2, 3, 7, 64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			threshold.Shrink(t, n)
			for name, suite := range map[string]func(*testing.T){
				"find": TestAnswersDependOnNothing, "count": TestCountsDependOnNothing, "minify": TestMinifyDependsOnNothing,
				"what is not JSON": TestMinifyRefuses, "whether it is": TestMinifyValidatesAlike,
			} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					suite(t)
				})
			}
		})
	}
}

// TestPartlyCached asks for the places of a text in files of which random pages are not in the
// page cache, with trials of a few bytes, direct reads and both ways at once: the answers come
// in the order of the file, and the first is the first.
func TestPartlyCached(t *testing.T) {
	for _, n := range []int{0, 2, 3, 64, 5000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if n > 0 {
				threshold.Shrink(t, n)
			}
			for seed := range uint64(12) {
				r := rand.New(rand.NewPCG(seed, 5))
				data := letters(100_000+r.IntN(400_000), r)
				name := write(t, data)
				q := must(t)(Text("ab\n"))
				in := open(t, name)
				want, _ := search(t, in, q, Options{Run: options.Run{Engine: "pread", Workers: 1}})
				for range 4 {
					evict(t, name, int64(len(data)), r)
					o := Options{Run: options.Run{Workers: r.IntN(4), ChunkBytes: []int{0, 10_000}[r.IntN(2)]}, Limit: []int64{0, 1, 5}[r.IntN(3)]}
					expect := want
					if o.Limit > 0 && int(o.Limit) < len(want) {
						expect = want[:o.Limit]
					}
					got, report := search(t, in, q, o)
					if !slices.Equal(got, expect) || !report.Complete || o.Limit == 0 && report.Bytes != int64(len(data)) {
						t.Fatalf("seed %d, %+v: %d hits, want %d; the first %v and %v; %+v", seed, o, len(got), len(expect),
							got[:min(2, len(got))], expect[:min(2, len(expect))], report)
					}
				}
				if err := in.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// evict takes random pages of a file out of the page cache.
func evict(t *testing.T, name string, size int64, r *rand.Rand) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	for off := r.Int64N(size / 3); off < size; off += 1 + r.Int64N(size/3) {
		n := 1 + r.Int64N(size/4)
		if err := unix.Fadvise(int(f.Fd()), off, n, unix.FADV_DONTNEED); err != nil {
			t.Fatal(err)
		}
		off += n
	}
}

// TestAccounting cuts files off before they are read, or while they are: what was read and what
// is named as unread are all of it, by every engine, with small pieces and large ones.
func TestAccounting(t *testing.T) {
	for _, n := range []int{0, 2, 64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if n > 0 {
				threshold.Shrink(t, n)
			}
			known := engines(t, write(t, make([]byte, 100)))
			for seed := range uint64(60) {
				r := rand.New(rand.NewPCG(seed, 6))
				data := letters(1+r.IntN(100_000), r)
				name := write(t, data)
				in := open(t, name)
				keep := r.Int64N(int64(len(data)))
				o := Options{Run: options.Run{Engine: options.Engine(known[r.IntN(len(known))]), Workers: r.IntN(4), ChunkBytes: []int{0, 100 + r.IntN(5000)}[r.IntN(2)]}}
				cut := r.IntN(3) // which of the calls that pass hits on
				emits := 0
				if cut == 0 {
					truncate(t, name, keep)
				}
				report, err := Find(context.Background(), in, must(t)(Text("b\n")), o, func([]answer.Hit) error {
					if emits++; emits == cut {
						truncate(t, name, keep)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				var unread int64
				open := false // a stream does not say how much would have followed
				for _, u := range report.Unread {
					unread += u.Len
					open = open || u.Len == 0
				}
				all := report.Bytes + report.Skipped + unread
				if all != int64(len(data)) && !open || report.Bytes > int64(len(data)) || report.Complete != (len(report.Unread) == 0) ||
					cut == 0 && (report.Complete || report.Bytes != keep) {
					t.Fatalf("seed %d, %+v: cut to %d of %d in call %d: %d read, %d skipped, unread %v", seed, o, keep, len(data),
						cut, report.Bytes, report.Skipped, report.Unread)
				}
				if err := in.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func truncate(t *testing.T, name string, keep int64) {
	t.Helper()
	if err := os.Truncate(name, keep); err != nil {
		t.Error(err)
	}
}
