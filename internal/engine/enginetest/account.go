package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// smallSizes scans small files with all sizes in the threshold table shrunk, so that the code
// behind them runs.
func (s suite) smallSizes(t *testing.T) {
	content := Content(9001)
	for _, n := range []int{2, 3, 7, 64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			threshold.Shrink(t, n)
			for _, size := range []int{0, 1, n - 1, n, n + 1, 500, 4097, len(content)} {
				f := s.file(t, content[:size])
				for i, pieceBytes := range []int{1 + size/200, 17, 64, 5000} {
					ahead := []int{0, 1, 65, 300}[(size+i)%4]
					check := &checker{want: content[:size]}
					pieces := Pieces(0, int64(size), pieceBytes)
					s.scan(t, f, s.config(pieceBytes, ahead), pieces, 1+(i+size)%3, check)
					s.mustReadAll(t, check)
					if t.Failed() {
						t.Fatalf("size %d, pieces of %d, ahead %d", size, pieceBytes, ahead)
					}
				}
			}
		})
	}
}

// Account scans an input in which the ranges in bad cannot be read. They must be in ascending order
// and not touch. Account chooses pieces, numbers of workers and context at random. It checks that
// each byte of the pieces is either visited with the right value, or bad and reported as unread
// with the given reason. It calls open for each scan.
func Account(t *testing.T, content []byte, bad []source.Range, reason error, seed uint64,
	open func(engine.Config) (engine.Engine, error)) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	for range 8 {
		pieceBytes := []int{1 + r.IntN(2000), 4096, 8192, 1 + r.IntN(50_000), len(content)}[r.IntN(5)]
		ahead := []int{0, 1, r.IntN(3000), 4096}[r.IntN(4)]
		workers := 1 + r.IntN(3)
		off := r.Int64N(5000)
		end := int64(len(content)) - r.Int64N(5000)
		e, err := open(engine.Config{PieceBytes: pieceBytes, AheadBytes: ahead,
			BlockBytes: 4096 << r.IntN(4), Depth: 1 + r.IntN(4)})
		if err != nil {
			t.Fatal(err)
		}
		check := &checker{want: content, ahead: ahead}
		for _, b := range bad {
			check.bad = append(check.bad, source.Range{Off: b.Off, End: b.End})
		}
		pieces := Pieces(off, end, pieceBytes)
		if err := Scan(e, pieces, workers, check.visitor); err != nil {
			t.Error(err)
		}
		for _, fault := range check.faults {
			t.Error(fault)
		}
		if err := check.once(pieces); err != nil {
			t.Error(err)
		}
		if got, want := check.lost(t, reason), within(bad, off, end); !slices.Equal(got, want) {
			t.Errorf("unread %v, want %v", got, want)
		}
		if t.Failed() {
			t.Fatalf("seed %d: pieces of %d from %d to %d, ahead %d, %d workers", seed, pieceBytes, off, end, ahead, workers)
		}
	}
}

// lost returns the unread ranges and joins those that touch.
func (c *checker) lost(t *testing.T, reason error) (out []source.Range) {
	t.Helper()
	slices.SortFunc(c.unread, func(a, b failure.UnreadError) int { return int(a.Off - b.Off) })
	for i := range c.unread {
		u := &c.unread[i]
		if u.Err != reason {
			t.Errorf("%v, want %v", u, reason)
		}
		if n := len(out); n > 0 && out[n-1].End == u.Off {
			out[n-1].End += u.Len
		} else {
			out = append(out, source.Range{Off: u.Off, End: u.Off + u.Len})
		}
	}
	return out
}

// within returns the parts of the ranges between off and end.
func within(ranges []source.Range, off, end int64) (out []source.Range) {
	for _, r := range ranges {
		if s := (source.Range{Off: max(r.Off, off), End: min(r.End, end)}); s.Off < s.End {
			out = append(out, s)
		}
	}
	return out
}

// BadPages returns random ranges of whole pages of an input of n bytes. They do not touch, and some
// are several pages long.
func BadPages(n int, page int64, seed uint64) (bad []source.Range) {
	r := rand.New(rand.NewPCG(seed, 2))
	for off := r.Int64N(3) * page; off+page <= int64(n); {
		end := min(off+(1+r.Int64N(3))*page, int64(n)/page*page)
		bad = append(bad, source.Range{Off: off, End: end})
		off = end + (1+r.Int64N(6))*page
	}
	return bad
}
