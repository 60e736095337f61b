package find

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// expected returns the matches that the standard library finds in each line of b.
func expected(re *regexp.Regexp, b []byte, off int64) (all []answer.Hit) {
	for lo := 0; lo < len(b); {
		hi := lo + bytes.IndexByte(b[lo:], '\n')
		if hi < lo {
			hi = len(b)
		}
		for _, m := range re.FindAllIndex(b[lo:hi], -1) {
			all = append(all, answer.Hit{Off: off + int64(lo+m[0]), Len: int64(m[1] - m[0])})
		}
		lo = hi + 1
	}
	return all
}

// workers runs the searchers of a task over blocks, taking turns.
type workers struct {
	*testing.T
	lost   []failure.UnreadError
	turns  [2]scan.Searcher
	blocks int
	hits   []answer.Hit
}

func (w *workers) begin(task *Task) {
	lost := func(e failure.UnreadError) { w.lost = append(w.lost, e) }
	stop := new(atomic.Bool)
	w.turns = [2]scan.Searcher{task.Searcher(lost, stop), task.Searcher(lost, stop)}
}

func (w *workers) search(b engine.Block) {
	w.turns[w.blocks%2].Search(b, func(h answer.Hit) bool {
		w.hits = append(w.hits, h)
		return true
	})
	w.blocks++
}

// stream searches b in blocks like those of the stream engine: with context, or, as from a slow
// writer, cut before a line feed.
func (w *workers) stream(rng *rand.Rand, b []byte, ahead, size int) {
	for pos := 0; pos < len(b); {
		own := min(1+rng.IntN(size), len(b)-pos)
		end := min(pos+own+ahead, len(b))
		if rng.IntN(4) == 0 {
			if feed := bytes.LastIndexByte(b[pos:end], '\n'); feed > 0 {
				own, end = feed, pos+feed+1+rng.IntN(end-pos-feed)
			}
		}
		w.search(engine.Block{Off: int64(pos), Data: b[pos:end], Len: own})
		pos += own
	}
}

// file searches blocks of a file's regions, without its holes.
func (w *workers) file(rng *rand.Rand, b []byte, ahead, size int, regions []source.Range) {
	for _, r := range regions {
		for pos := int(r.Off); pos < int(r.End); {
			own := min(1+rng.IntN(size), int(r.End)-pos)
			w.search(engine.Block{Off: int64(pos), Data: b[pos:min(pos+own+ahead, len(b))], Len: own})
			pos += own
		}
	}
}

var (
	tokens = []string{"a", "b", "é", ".", "*", "+", "?", "|", "(", ")", "[ab]", "[^a]", "^", "$", `\b`, `\B`,
		`\w`, "{2}", "(?:", "*?", "(?i)A", `\s`, "c", " ", "{0,3}", `\pL`}
	letters = []string{"a", "b", "c", "é", " ", "A", "\xff", "\x00", "\xe2\x82", "aaaa", "_", "ba", "ab", "😀"}
	known   = []string{`a.c`, `[a-z]{2,9}`, `a.*c|a`, `(?:\b|a)+`, `^a.*b$`, `a*`, `[^a]`, `"[^"]*"`, `b+a`, `a+?b|c`,
		`\bab`, `ab$`, `(?:^|a)+`, `a{3}c?`, `\B`, `$`, `^`}
)

func pick(rng *rand.Rand, from []string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(from[rng.IntN(len(from))])
	}
	return b.String()
}

// lineLength returns a random length, often close to a size, where off-by-one errors show.
func lineLength(rng *rand.Rand, size int) int {
	switch rng.IntN(4) {
	case 0:
		return rng.IntN(4)
	case 1:
		return max(0, size+rng.IntN(5)-2)
	case 2:
		return rng.IntN(3*size + 10)
	}
	return rng.IntN(20)
}

func randomText(rng *rand.Rand, size int) []byte {
	var b strings.Builder
	from := letters[:1+rng.IntN(len(letters))]
	for range 1 + rng.IntN(4) {
		b.WriteString(pick(rng, from, lineLength(rng, size)))
		b.WriteByte('\n')
	}
	text := b.String()
	if rng.IntN(2) == 0 {
		text = text[:len(text)-1]
	}
	return []byte(text)
}

func randomExpr(rng *rand.Rand) (string, *regexp.Regexp) {
	for {
		expr := known[rng.IntN(len(known))]
		if rng.IntN(3) > 0 {
			expr = pick(rng, tokens, 1+rng.IntN(8))
		}
		if re, err := regexp.Compile(expr); err == nil {
			return expr, re
		}
	}
}

// cases returns how many random cases a test tries: THRESH_CASES if that is set.
func cases(t *testing.T, usual int) int {
	t.Helper()
	if n, err := strconv.Atoi(os.Getenv("THRESH_CASES")); err == nil {
		return n
	}
	return rounds.Of(usual)
}

// eachSize runs a test with the real thresholds, and with shrunk ones.
func eachSize(t *testing.T, test func(t *testing.T, size int)) {
	t.Run("real", func(t *testing.T) { test(t, 64) })
	for _, n := range []int{2, 3, 7, 64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			threshold.Shrink(t, n)
			test(t, n)
		})
	}
}

// TestRegexpOfStreams compares the matches in a stream, cut into random blocks, with those that the
// standard library finds in its lines. The bound of pending matches is not shrunk: beyond it,
// matches are lost.
func TestRegexpOfStreams(t *testing.T) {
	eachSize(t, func(t *testing.T, size int) {
		keepPending()
		for round := range cases(t, 1500) {
			rng := rand.New(rand.NewPCG(uint64(size), uint64(round)))
			expr, re := randomExpr(rng)
			text := randomText(rng, size)
			s, err := Regexp(expr)
			if err != nil {
				continue
			}
			span := source.Range{End: int64(len(text))}
			want := expected(re, text, 0)
			f := &source.File{Kind: source.Stream}
			for _, counting := range []bool{false, true} {
				w := &workers{T: t}
				w.begin(s.Begin(f, span, counting))
				w.stream(rng, text, ahead(source.Stream), 1+size)
				if counting && len(w.hits) == len(want) || slices.Equal(w.hits, want) && len(w.lost) == 0 {
					continue
				}
				t.Fatalf("%q in %q (round %d, counting %v): %v, want %v, lost %v", expr, text, round, counting, w.hits, want, w.lost)
			}
		}
	})
}

func keepPending() {
	for _, s := range threshold.All() {
		if strings.Contains(s.Name(), "wait for a longer one") {
			s.Set(s.Real())
		}
	}
}

// TestRegexpOfFiles does the same with a file, which may have holes.
func TestRegexpOfFiles(t *testing.T) {
	eachSize(t, func(t *testing.T, size int) {
		keepPending()
		dir := t.TempDir()
		for round := range cases(t, 150) {
			rng := rand.New(rand.NewPCG(uint64(size), uint64(round)))
			expr, re := randomExpr(rng)
			s, err := Regexp(expr)
			if err != nil {
				continue
			}
			name := filepath.Join(dir, "file")
			text := sparse(t, rng, name, size)
			f, err := source.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			lo := rng.IntN(len(text) + 1)
			if rng.IntN(2) == 0 {
				lo = 0
			}
			span := source.Range{Off: int64(lo), End: int64(lo + rng.IntN(len(text)-lo+1))}
			regions, _, err := scan.Regions(f, span, s.SkipHoles, ahead(source.Regular))
			if err != nil {
				t.Fatal(err)
			}
			var ranges []source.Range
			for _, r := range regions {
				ranges = append(ranges, r.Range)
			}
			want := expected(re, text[span.Off:span.End], span.Off)
			w := &workers{T: t}
			w.begin(s.Begin(f, span, false))
			w.file(rng, text[:span.End], ahead(source.Regular), 1+rng.IntN(3*size+5000), ranges)
			slices.SortFunc(w.hits, func(a, b answer.Hit) int { return int(a.Off - b.Off) })
			if !slices.Equal(w.hits, want) || len(w.lost) > 0 {
				t.Fatalf("%q (round %d) in %v of %v: %v, want %v, lost %v", expr, round, span, ranges, w.hits, want, w.lost)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// sparse writes a file of text and holes, and returns its content.
func sparse(t *testing.T, rng *rand.Rand, name string, size int) (text []byte) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 1 + rng.IntN(3) {
		if rng.IntN(2) == 0 {
			text = append(text, make([]byte, 1+rng.IntN(20_000))...)
		}
		data := randomText(rng, size)
		if _, err := f.WriteAt(data, int64(len(text))); err != nil {
			t.Fatal(err)
		}
		text = append(text, data...)
	}
	if rng.IntN(2) == 0 {
		text = append(text, make([]byte, 1+rng.IntN(20_000))...)
	}
	if err := f.Truncate(int64(len(text))); err != nil {
		t.Fatal(err)
	}
	return text
}
