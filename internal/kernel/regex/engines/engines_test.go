package engines

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// nasty holds the expressions on which engines that promise the standard library's answers are
// known to differ.
var nasty = []string{
	`^a`, `a$`, `^$`, `\Aab\z`, `(?m)^a|b$`, `\b`, `\B`, `\bab\b`, `\Ba`, `a*`, `a*?`,
	`(a|ab)(c|bcd)(d*)`,
	`a|ab`, `ab|a`, `(|a)*`, `(|a)+`, `(a*)*`, `(a*)+b`, `a+?b`, `(?U)a+b`, `a{2,5}?`,
	`(?i)straße`, `(?i)k`,
	`(?i)[^k]`, `\pL+`, `\p{Greek}`, `[^a]`, `.`, `(?s).`, `\x{FFFD}`, `[\x{80}-\x{10FFFF}]`, `é`,
	`[é-ü]+`,
	`(a?){20}a{20}`, `[ab]{100}`, `(?:a|b|c){0,40}c`, `x*$`, `$|a`, `a??`, `\w+\b`, `[[:^alpha:]]`,
	`\PN\pN`,
	`(?i)ſ`, `a\C?b`, `\Qa.b\E`,
}

var texts = []string{
	"", "a", "ab", "abcd", "aaa bbb", "xabx", "straSSE STRASSE straße", "K\u212a\u017fs",
	"Ωμέγα", "é\xc3\xa9\xc3",
	"\xff", "a\xffb", "\xe2\x82", "\xe2\x82\xaca", "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\x00b",
	"\ufffd\xffa",
	strings.Repeat("a", 40), strings.Repeat("ab", 60), "a b\u00a0c", "ab\ncd", "\n", "a\n",
	"\U0001F600a",
}

// differences returns how many answers of e differ from those of std, and the first of them.
func differences(t *testing.T, std, e Engine, exprs, texts []string) (wrong int, first string) {
	t.Helper()
	note := func(format string, args ...any) {
		if wrong++; first == "" {
			first = fmt.Sprintf(format, args...)
		}
	}
	for _, expr := range exprs {
		want, stdErr := std.Compile(expr)
		got, err := e.Compile(expr)
		if (stdErr == nil) != (err == nil) {
			note("%q: error %v, std %v", expr, err, stdErr)
			continue
		}
		if err != nil {
			continue
		}
		for _, text := range texts {
			w, g := want.FindAllIndex([]byte(text), -1), got.FindAllIndex([]byte(text), -1)
			if !slices.EqualFunc(w, g, slices.Equal) {
				note("%q on %q: %v, std %v", expr, text, g, w)
			}
		}
	}
	return wrong, first
}

func valid(expr string) bool {
	_, err := regexp.Compile(expr)
	return err == nil
}

// TestDifferential reports the wrong answers of each engine. It fails if what is known about an
// engine is no longer true: then ../ENGINES.md must be revised.
func TestDifferential(t *testing.T) {
	engines := Engines()
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(alphabet []string, n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(alphabet[rng.IntN(len(alphabet))])
		}
		return b.String()
	}
	tokens := []string{"a", "b", "é", ".", "*", "+", "?", "|", "(", ")",
		"[ab]", "[^a]", "^", "$", `\b`, `\w`, "{2}"}
	var exprs, random []string
	for len(exprs) < 1000 {
		if expr := pick(tokens, 1+rng.IntN(8)); valid(expr) {
			exprs = append(exprs, expr)
		}
	}
	letters := []string{"a", "b", "é", " ", "\xff", "\x00", "\xe2\x82"}
	for range 30 {
		random = append(random, pick(letters, rng.IntN(12)))
	}
	for _, e := range engines[1:] {
		wrong, first := differences(t, engines[0], e, nasty, texts)
		wrongRandom, firstRandom := differences(t, engines[0], e, exprs, random)
		t.Logf("%s: %d wrong answers of %d (first: %s), random %d of %d (first: %s)", e.Name, wrong,
			len(nasty)*len(texts), first, wrongRandom, len(exprs)*len(random), firstRandom)
		if got := wrong+wrongRandom > 0; got != e.Wrong {
			t.Errorf("%s has wrong answers: %v, known: %v", e.Name, got, e.Wrong)
		}
	}
}

// log returns n bytes of lines like those that services write.
func log(n int) []byte {
	rng := rand.New(rand.NewPCG(3, 4))
	levels := []string{"INFO", "WARN", "DEBUG", "ERROR"}
	words := []string{"Request", "Connection", "Cache", "Query", "Session", "Upload"}
	var b bytes.Buffer
	b.Grow(n + 256)
	for b.Len() < n {
		fmt.Fprintf(&b, "2026-11-%02dT%02d:%02d:%02d.%03dZ host-%d svc[%d]: "+
			"%s id=%08x path=/v1/items/%d status=%d dur=%d",
			1+rng.IntN(28), rng.IntN(24), rng.IntN(60), rng.IntN(60), rng.IntN(1000), rng.IntN(40),
			rng.IntN(30000),
			levels[rng.IntN(4)], rng.Uint32(), rng.IntN(100000), 200+rng.IntN(4)*100, rng.IntN(5000))
		switch rng.IntN(20) {
		case 0:
			fmt.Fprintf(&b, " user=%09d", rng.IntN(1e9))
		case 1:
			fmt.Fprintf(&b, " mail=%s@example.com", strings.ToLower(words[rng.IntN(6)]))
		case 2:
			fmt.Fprintf(&b, " %s %dms", words[rng.IntN(6)], rng.IntN(900))
		case 3:
			fmt.Fprintf(&b, " ticket %03d-abc%d", rng.IntN(1000), rng.IntN(10))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()[:bytes.LastIndexByte(b.Bytes()[:n], '\n')+1]
}

func BenchmarkLog(b *testing.B) {
	text := log(64 << 20)
	engines := Engines()
	for _, expr := range []string{
		`[0-9]{3}-[a-z]+[0-9]`, `(\w+)@(\w+)\.com`, `[A-Z][a-z]+ [0-9]+ms`, `user=[0-9]{9}`,
	} {
		std, err := engines[0].Compile(expr)
		if err != nil {
			b.Fatal(err)
		}
		want := len(std.FindAllIndex(text, -1))
		for _, e := range engines {
			b.Run("expr="+expr+"/engine="+e.Name, func(b *testing.B) {
				re, err := e.Compile(expr)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if got := len(re.FindAllIndex(text, -1)); got != want {
						b.Fatalf("%d matches, want %d", got, want)
					}
				}
			})
		}
	}
}
