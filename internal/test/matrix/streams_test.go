package matrix

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// longestLine is the greatest length of a line in TestStreams if THRESH_CASES is set.
const longestLine = 64 << 20

// TestStreams searches for random expressions in streams with lines of 0 to 64 MB, most with lengths near
// those at which code takes another path. It compares with the same bytes in a file, and with the
// matches that Go's regexp finds in each line.
func TestStreams(t *testing.T) {
	cases(t, 400, func(t *testing.T, r *rand.Rand) error {
		longest := 3000
		switch small := threshold.All()[0].Get() < threshold.All()[0].Real(); {
		case small && !chance(r, 50): // with shrunk sizes, 64 bytes are a long line, and a longer one takes a step for every few bytes
			longest = 600
		case small:
		case chance(r, 200):
			longest = 300_000
		case chance(r, 800):
			longest = 3 << 20
		case os.Getenv("THRESH_CASES") != "" && chance(r, 20_000):
			longest = longestLine
		}
		q, err := expression(r)
		if err != nil {
			return err
		}
		s := square{asked: q, find: chance(r, 2), shape: "lines near sizes", seed: r.Uint64()}
		s.data = streamLines(r, q.parts, r.IntN(longest), max(longest/2, 1))
		s.options.Workers = pick(r, 0, 1, 2, 5)
		if chance(r, 2) {
			s.options.ChunkBytes = max(1+r.IntN(100), len(s.data)/300)
		}
		if chance(r, 4) {
			s.options.Offset, s.options.Length = randomRange(r, int64(len(s.data)), max(1, int64(s.options.ChunkBytes)))
		}
		stream := pick(r, "pipe", "pipe", "pipe", "gzip", "zstd", "BGZF", "zip member")
		run := func(s *square) error {
			for _, kind := range []string{stream, "file"} {
				if s.kind = kind; kind == "file" {
					if _, inside := s.span(s.data); !inside {
						continue
					}
				}
				if err := s.run(t); err != nil {
					return fmt.Errorf("as %s: %w", kind, err)
				}
			}
			return nil
		}
		if err := run(&s); err != nil {
			return s.reduce(t, err, run)
		}
		return nil
	})
}

// streamLines returns n bytes of lines: with lengths near sizes, or a single line.
func streamLines(r *rand.Rand, parts []string, n, most int) []byte {
	if chance(r, 4) {
		return oneLine(r, parts, n)
	}
	all := sizes(most, 1, n/2+1)
	var lengths []int
	for range 4 {
		lengths = append(lengths, pick(r, all...)*(1+r.IntN(3)))
	}
	return lines(r, parts, n, append(lengths, 0), pick(r, "\n", "\n", "\r\n"))
}

// TestLinesOfRealSizes searches streams with one long line that ends near each size at which code takes
// another path, with matches at its start, near the size, across it, and at its end.
func TestLinesOfRealSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("lines of many megabytes")
	}
	lengths := map[int]bool{}
	for _, n := range []int{16 << 10, 64 << 10, 256 << 10, 1 << 20, 2 << 20, 3 << 20} { // blocks and contexts of the engines
		lengths[n] = true
	}
	for _, s := range threshold.All() {
		if s.Real() <= 4<<20 {
			lengths[s.Real()] = true
		}
	}
	r := rand.New(rand.NewPCG(5, 5))
	for _, length := range slices.Sorted(maps.Keys(lengths)) {
		for _, expr := range []string{`needle`, `[a-z]{2,9}`, `^x.*e$`, `ne+dle\b`, `n[^x]*e`, `e$`} {
			n := length + r.IntN(3) - 1
			if err := longLine(t, r, expr, n, pick(r, "pipe", "pipe", "gzip", "zstd")); err != nil {
				t.Errorf("%s in a line of %d bytes: %v", expr, n, err)
			}
		}
	}
}

func longLine(t *testing.T, r *rand.Rand, expr string, n int, stream string) error {
	data := []byte("short needle\n")
	begin := len(data)
	data = append(data, make([]byte, n)...)
	for i := begin; i < len(data); i++ {
		data[i] = "xxxx, "[i%6]
	}
	for _, at := range []int{0, 1000, n / 2, n - 7 - r.IntN(3), n - 6} {
		copy(data[begin+max(min(at, n), 0):], "needle")
	}
	if chance(r, 2) {
		data = append(data, "\nneedle behind\n"...)
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return err
	}
	query, err := thresh.Regexp(expr)
	if err != nil {
		return err
	}
	s := square{asked: asked{query: query, places: func(span []byte) []answer.Hit { return matches(re, span) }}, data: data, find: true}
	for _, kind := range []string{stream, "file"} {
		s.kind, s.seed = kind, r.Uint64()
		if err := s.run(t); err != nil {
			return fmt.Errorf("as %s: %w", kind, err)
		}
	}
	return nil
}
