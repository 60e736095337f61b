package regex

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// expected returns the matches of each line of b, found by the standard library.
func expected(re *regexp.Regexp, b []byte) [][2]int {
	var all [][2]int
	for lo := 0; lo < len(b); {
		hi := lo + bytes.IndexByte(b[lo:], '\n')
		if hi < lo {
			hi = len(b)
		}
		for _, m := range re.FindAllIndex(b[lo:hi], -1) {
			all = append(all, [2]int{lo + m[0], lo + m[1]})
		}
		lo = hi + 1
	}
	return all
}

func expectedString(expr string, b []byte) [][2]int {
	return expected(regexp.MustCompile(expr), b)
}

func found(s *Searcher, b []byte) [][2]int {
	var all [][2]int
	s.All(b, func(start, end int) bool {
		all = append(all, [2]int{start, end})
		return true
	})
	return all
}

// inParts returns the matches of each line of b. It feeds the line in parts, whose ends cut
// determines, to searchers that take turns. It also returns the number of matches when they are
// only counted.
func inParts(turns [2]*Searcher, b []byte, slow bool, cut func(lo, hi int) int) (all [][2]int, n int) {
	r := turns[0].re
	for lo := 0; lo < len(b); {
		hi := lo + bytes.IndexByte(b[lo:], '\n')
		if hi < lo {
			hi = len(b)
		}
		where, many := r.Line(int64(lo), false), r.Line(int64(lo), true)
		where.slow, many.slow = where.slow || slow, many.slow || slow
		for turn, last := 0, false; !last; turn++ {
			to := cut(int(where.Off), hi)
			last = to == hi
			turns[turn%2].Feed(where, b[where.Off:to], last, func(start, end int64) bool {
				all = append(all, [2]int{int(start), int(end)})
				return true
			})
			turns[turn%2].Feed(many, b[many.Off:to], last, nil)
		}
		n += int(many.Matches)
		lo = hi + 1
	}
	return all, n
}

// forced are the ways of searching that an expression may use besides its own.
func forced(r *Regex) map[string]*Regex {
	ways := map[string]*Regex{"own": r}
	if r.nfa == nil || r.nfa.neverHit {
		return ways
	}
	for name, m := range map[string]mode{"whole": modeWhole, "slow": modeRunes, "sweep": modeSweep} {
		if m == modeSweep && r.nfa.nullable {
			continue
		}
		other := *r
		other.plan = plan{mode: m}
		ways[name] = &other
	}
	runes := *r
	runes.nfa, runes.runes, runes.plan = nil, newRuneNFA(r.prog), plan{mode: modeRunes}
	ways["runes"] = &runes
	if pair, _ := bestPair(r.nfa); !r.nfa.nullable && pair.exists() {
		other := *r
		other.plan = plan{mode: modePrefix, finder: pair}
		ways["prefix"] = &other
	}
	if len(r.plan.inners) > 0 {
		other := *r
		other.plan = plan{mode: modeInner, inners: r.plan.inners}
		ways["inner"] = &other
	}
	return ways
}

func check(t *testing.T, expr string, texts [][]byte) {
	t.Helper()
	re, stdErr := regexp.Compile(expr)
	r, err := Compile(expr)
	if stdErr != nil {
		if err == nil {
			t.Fatalf("Compile(%q) gave no error, regexp: %v", expr, stdErr)
		}
		return
	}
	if err != nil {
		for _, b := range texts {
			if want := expected(re, b); len(want) > 0 {
				t.Fatalf("Compile(%q) gave %v, but %q has matches %v", expr, err, b, want)
			}
		}
		return
	}
	for way, r := range forced(r) {
		if (way == "runes" || way == "slow") && len(texts[0]) > 10_000 {
			continue // slower than the standard library
		}
		s := r.Searcher()
		for _, b := range texts {
			want, got := expected(re, b), found(s, b)
			if !slices.Equal(want, got) {
				t.Fatalf("%q (%s) in %q: %v, want %v", expr, way, clip(b), got, want)
			}
			if n := s.Count(b); n != int64(len(want)) {
				t.Fatalf("%q (%s) in %q: counted %d, want %d", expr, way, clip(b), n, len(want))
			}
		}
	}
	checkParts(t, expr, r, re, texts)
}

// checkParts feeds lines whole, in parts of every small length, and in parts of any length.
func checkParts(t *testing.T, expr string, r *Regex, re *regexp.Regexp, texts [][]byte) {
	t.Helper()
	both := func(r *Regex) [2]*Searcher { return [2]*Searcher{r.Searcher(), r.Searcher()} }
	ways := map[string][2]*Searcher{"line": both(r), "slow line": both(r)}
	for way, r := range forced(r) {
		if way == "runes" || way == "prefix" || way == "whole" {
			ways["line by "+way] = both(r)
		}
	}
	for k, b := range texts {
		want := expected(re, b)
		sizes := []int{len(b) + 1, 4 + (k+len(expr))%5, 4 + (7*k+len(expr))%11}
		if len(b) > 10_000 {
			sizes = []int{len(b) + 1, 4096 + len(expr)}
		}
		for i, size := range sizes {
			cut := func(lo, hi int) int { return min(lo+size, hi) }
			for way, turns := range ways {
				if (way == "slow line" || way == "line by runes") && len(b) > 10_000 {
					continue
				}
				got, n := inParts(turns, b, way == "slow line", cut)
				if !slices.Equal(want, got) || n != len(want) {
					t.Fatalf("%q (%s %d, in parts of %d) in %q: %v, counted %d, want %v", expr, way, i, size, clip(b), got, n, want)
				}
			}
		}
	}
}

func clip(b []byte) []byte { return b[:min(len(b), 200)] }

var expressions = []string{
	`a`, `abc`, `^a`, `a$`, `^$`, `^`, `$`, `\Aab\z`, `(?m)^a|b$`, `\b`, `\B`, `\bab\b`, `\Ba`,
	`a\b`, `\b\b`,
	`a*`, `a*?`, `(a|ab)(c|bcd)(d*)`, `a|ab`, `ab|a`, `(|a)*`, `(|a)+`, `(a*)*`, `(a*)+b`, `a+?b`,
	`(?U)a+b`,
	`a{2,5}?`, `(?i)straße`, `(?i)k`, `(?i)[^k]`, `\pL+`, `\p{Greek}`, `[^a]`, `.`, `(?s).`,
	`(?s).+`, `.*`,
	`\x{FFFD}`, `[\x{80}-\x{10FFFF}]`, `é`, `[é-ü]+`, `(a?){20}a{20}`, `[ab]{100}`,
	`(?:a|b|c){0,40}c`, `x*$`,
	`$|a`, `a??`, `\w+\b`, `[[:^alpha:]]`, `\PN\pN`, `(?i)ſ`, `\Qa.b\E`, `a\s+b`, `\s`, `[\n]|a`,
	`a|\nb`,
	`b+a|a+b`, `(?:ab)+`, `(?:ab)*c`, `a.c`, `a.*c`, `a.*?c`, `.*c`, `^.*$`, `(foo|bar)baz`,
	`[a-c]+x[0-9]`,
	`[0-9]{3}-[a-z]+[0-9]`, `(\w+)@(\w+)\.com`, `[A-Z][a-z]+ [0-9]+ms`, `user=[0-9]{9}`, `\x00+`,
	`\xff`,
	`[^\x00-\x{10FFFF}]`, `a[^\x00-\x{10FFFF}]|b`, `\d+$`, `^\w+`, `$^`, `(?:$^)*`, `a$b`, `\b\B`,
	`[\x{D7FF}-\x{E000}]`,
	`\x{10FFFF}`, `[^\x00-\x7f]+`, `(?i)error|warn`, `\Ba\B|\bb`, `(a|b)*?$`, `a{0}`, `(^a|b)+`,
	`(?:^|\W)ab`,
}

var pieces = []string{
	"", "a", "ab", "abcd", "aaa bbb", "xabx", "straSSE STRASSE straße", "K\u212a\u017fs",
	"Ωμέγα", "é\xc3\xa9\xc3",
	"\xff", "a\xffb", "\xe2\x82", "\xe2\x82\xaca", "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\x00b",
	"\ufffd\xffa",
	"aab aabb abab", "a.b", "a b\u00a0c", "foobaz barbaz", "123-abc4", "joe@example.com, ann@b.com",
	"Took 12ms",
	"user=123456789", "user=12345678", "\U0001F600a", "\ud7ff\ue000", "ERROR warn", "_a-b",
	"\xe2\x82a\xe2\x82", "\xf0\x9f\x98",
}

func TestTable(t *testing.T) {
	var texts [][]byte
	for _, p := range append(pieces, strings.Repeat("a", 40), strings.Repeat("ab", 60)) {
		for _, form := range []string{"%s", "%s\n", "\n%s", "%s\n\n", "ab\n%s\nab"} {
			texts = append(texts, fmt.Appendf(nil, form, p))
		}
	}
	texts = append(texts, []byte(strings.Join(pieces, "\n")), []byte(strings.Join(pieces, " ")))
	for _, expr := range expressions {
		check(t, expr, texts)
	}
}

func pick(rng *rand.Rand, alphabet []string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(alphabet[rng.IntN(len(alphabet))])
	}
	return b.String()
}

var tokens = []string{
	"a", "b", "é", ".", "*", "+", "?", "|", "(", ")", "[ab]", "[^a]", "^", "$", `\b`, `\B`, `\w`,
	"{2}", "(?:", "*?",
	"(?i)A", `\s`, "c", " ", "{0,3}", `\pL`,
}

var letters = []string{"a", "b", "c", "é", " ", "\n", "A", "\xff", "\x00", "\xe2\x82", "aaaa", "_"}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range cases(1500) {
		var texts [][]byte
		for range 6 {
			texts = append(texts, []byte(pick(rng, letters, rng.IntN(20))))
		}
		texts = append(texts, []byte(pick(rng, letters[:7], rng.IntN(60))))
		check(t, pick(rng, tokens, 1+rng.IntN(9)), texts)
	}
}

// TestRandomShrunk does the same with all sizes shrunk, so that caches overflow and lines are
// searched in every way.
func TestRandomShrunk(t *testing.T) {
	for _, size := range []int{2, 3, 7, 64} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			threshold.Shrink(t, size)
			linePending.Set(linePending.Real()) // this bounds the answer; see TestPending
			rng := rand.New(rand.NewPCG(9, uint64(size)))
			for range cases(200) {
				var texts [][]byte
				for range 4 {
					texts = append(texts, []byte(pick(rng, letters, rng.IntN(30))))
				}
				check(t, pick(rng, tokens, 1+rng.IntN(9)), texts)
			}
		})
	}
}

// cases returns how many random cases a test tries: THRESH_CASES if it is set.
func cases(usual int) int {
	if n, err := strconv.Atoi(os.Getenv("THRESH_CASES")); err == nil {
		return n
	}
	return rounds.Of(usual)
}

// TestRandomLarge makes the sweep run its lanes: texts of several windows, including lines about
// the size of a region.
func TestRandomLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range rounds.Of(4) {
		alphabet := append(slices.Repeat([]string{"b", "c", " "}, 1+rng.IntN(300)), letters...)
		if i%3 == 0 {
			alphabet = append(alphabet, strings.Repeat("b", regionBytes+rng.IntN(3*regionBytes)))
		}
		text := []byte(pick(rng, alphabet, 30_000+rng.IntN(40_000)))
		for range 2 {
			check(t, pick(rng, tokens, 1+rng.IntN(7)), [][]byte{text})
		}
		for _, expr := range []string{`aa+`, `A[^c]*é`, `\x00|_`, `^a`, `a$`, `\bA\b`} {
			check(t, expr, [][]byte{text})
		}
	}
}
