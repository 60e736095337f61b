package regex

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// hard are expressions and lines that take time growing faster than the line if a search starts
// again after each match, or differently for each malformed byte.
var hard = []struct{ expr, unit string }{
	{`[^a]`, "\xff"}, {`.`, "\xe2\x82"}, {`"[^"]*"`, "\"caf\xe9\", "}, {`a.*c|a`, "a"}, {`a.*?c|a`, "a"},
	{`(?:foo.*bar|o)`, "foo "}, {`[a-z]+.*X|[a-z]`, "ab "}, {`(?s)(?:x.*)?a`, "xa"}, {`\w+@\w+\.com`, "abc@d "},
	{`(a|b)*c|a`, "ab"}, {`(?:a*)*b|a`, "aaaaaaaa"}, {`a*`, "\x80"}, {`\b`, "a \xc3"}, {`b?.*z|b`, "bb\xf0\x9f"},
	{`(?i)k[^\n]*q|k`, "K\u212a"}, {`aa[^b]*b|a`, "a"},
}

// TestLinear counts the steps for a line, and for one twice as long.
func TestLinear(t *testing.T) {
	for i, h := range hard {
		if i%rounds.Every(1) != 0 {
			continue
		}
		for way, r := range forced(compiled(t, h.expr)) {
			steps := func(n int) int {
				s := r.Searcher()
				s.All([]byte(strings.Repeat(h.unit, n/len(h.unit))), func(int, int) bool { return true })
				return s.work
			}
			const n = 100_000
			once, twice := steps(n), steps(2*n)
			if twice > 5*once/2+1000 || once > 100*n {
				t.Errorf("%q (%s) over %q: %d steps for %d bytes, %d for twice as many", h.expr, way, h.unit, once, n, twice)
			}
		}
	}
}

// TestHardLines compares the answers for such lines.
func TestHardLines(t *testing.T) {
	n := 0
	for _, h := range hard {
		line := strings.Repeat(h.unit, 200)
		for _, end := range []string{"", "c", "bar", "X", "z\xff", "q", "\n" + line} {
			if n++; n%rounds.Every(1) != 0 {
				continue
			}
			check(t, h.expr, [][]byte{[]byte(line + end), []byte(line[1:] + end + line)})
		}
	}
}

// TestPending: if more matches wait than allowed, the search reports the part of the line in which
// nothing is known, and finds the matches before and after it.
func TestPending(t *testing.T) {
	defer linePending.Set(linePending.Real())
	defer readAgainCredit.Set(readAgainCredit.Real())
	readAgainCredit.Set(1)
	line := strings.Repeat("b", 10) + strings.Repeat("a", 200)
	text := []byte("a\nac\n" + line + "\naaac\n")
	expr := `a.*c|a`
	want := expected(regexp.MustCompile(expr), text)
	for n := 1; n < 210; n += 7 {
		linePending.Set(n)
		for _, slow := range []bool{false, true} {
			r := compiled(t, expr)
			s := r.Searcher()
			s.Reset(text)
			s.ran = 1 << 40 // so that lines are searched in one pass
			s.noDFA = slow
			var got [][2]int
			for start, end := s.Next(); start >= 0; start, end = s.Next() {
				got = append(got, [2]int{start, end})
			}
			lost := slices.Clone(s.Lost())
			if counted := s.Count(text); counted != int64(len(want)) || len(s.Lost()) > 0 {
				t.Errorf("%d may wait (slow %v): counted %d, want %d, lost %v", n, slow, counted, len(want), s.Lost())
			}
			known := slices.DeleteFunc(slices.Clone(want), func(m [2]int) bool {
				return slices.ContainsFunc(lost, func(r [2]int) bool { return m[0] >= r[0] && m[0] < r[1] })
			})
			if !slices.Equal(got, known) || (n < 200) != (len(lost) > 0) {
				t.Errorf("%d may wait (slow %v): %d matches, want %d, lost %v", n, slow, len(got), len(known), lost)
			}
			for _, r := range lost { // each is part of one line
				if bytes.IndexByte(text[r[0]:r[1]], '\n') >= 0 || text[r[1]] != '\n' {
					t.Errorf("%d may wait: lost %v", n, lost)
				}
			}
		}
	}
}

// TestPartsOfLongLine feeds a line far longer than its parts, with matches that span many of them.
func TestPartsOfLongLine(t *testing.T) {
	line := bytes.Repeat([]byte("x"), 300_000)
	copy(line[1000:], `"`)
	copy(line[250_000:], `"needle`)
	for _, expr := range []string{`x+needle`, `"[^"]*"`, `^x.*x$`, `x+$`, `n.*`, `(?:x*"x*)+`, `\bn|e\B`, `[^x]+`} {
		want := expectedString(expr, line)
		for _, size := range []int{4, 1000, 4096, 65_537} {
			r := compiled(t, expr)
			got, n := inParts([2]*Searcher{r.Searcher(), r.Searcher()}, line, false, func(lo, hi int) int { return min(lo+size, hi) })
			if !slices.Equal(got, want) || n != len(want) {
				t.Errorf("%q in parts of %d: %v, counted %d, want %v", expr, size, got, n, want)
			}
		}
	}
}
