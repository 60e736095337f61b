package key

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// scanned are expressions that must be scanned for, and how.
var scanned = map[string]string{
	`, *([^, ]+)`:            `',' then skip ' ' then take until ' ' or ','`,
	`^([0-9]{5})`:            `at the beginning then take '0' to '9', 5 times`,
	`([0-9]{3})$`:            `take '0' to '9', 3 times then the end`,
	`^[^@]*@(.+)$`:           `at the beginning then skip until '@' then '@' then take until '\n' then the end`,
	`b`:                      `take 'b'`,
	`user=(\d+)`:             `'u' then 's' then 'e' then 'r' then '=' then take '0' to '9'`,
	`, *(.+)`:                `',' then skip ' ' then take until '\n'; in doubt the regexp machine`,
	`(?i)mr\.? ([a-h]+)`:     `'M' or 'm' then 'R' or 'r' then skip '.', 1 times at most then ' ' then take 'A' to 'H' or 'a' to 'h'`,
	`^$`:                     `at the beginning then the end`,
	`()`:                     `at the beginning`,
	`é([a-z]*)`:              `0xc3 then 0xa9 then take 'a' to 'z'`,
	`^(?:ab+)(c{2,4})(d?)e*`: `at the beginning then 'a' then skip 'b' then take 'c', 4 times at most then skip 'd', 1 times at most then skip 'e'`,
	`[a-z]+[0-9]`:            `take 'a' to 'z' then take '0' to '9'`,
	`[a-z]*`:                 `at the beginning then take 'a' to 'z'`,
	`[ab]+a`:                 `take 'a' or 'b' then take 'a'; in doubt the regexp machine`,
	`a{3,}b`:                 `take 'a', 3 at least then take 'b'`,
	`x()y`:                   `'x' then 'y'`,
	`x+()$`:                  `skip 'x' then the end`,
	`[ab]{2}(b+)[^b]*c`:      `skip 'a' or 'b', 2 times then take 'b' then skip until 'b' then 'c'; in doubt the regexp machine`,
	`a[ab]*c`:                `take 'a' then take 'a' or 'b' then take 'c'`,
	`[^,]+,([^,]+)`:          `skip until ',' then ',' then take until ','`,
	`(?s)^a(.*)$`:            `at the beginning then 'a' then take anything then the end`,
	`([A-Z]{2}) [0-9]{5}$`:   `take 'A' to 'Z', 2 times then ' ' then skip '0' to '9', 5 times then the end`,
	`a(b*)(c*)$`:             `'a' then take 'b' then skip 'c' then the end`,
	`[[:alnum:]_]+@[^ ]+\.de`: `take '0' to '9' or 'A' to 'Z' or '_' or 'a' to 'z' then take '@' then take until ' ' then take '.' ` +
		`then take 'd' then take 'e'; in doubt the regexp machine`,
}

// left are expressions that no row of items is.
var left = []string{
	`a|bc`, `(a|bc)d`, `a+?b`, `(?m)^a`, `(?m)a$`, `\bab`, `[^a]b`, `[à-ü]+`, `a.c`, `(ab)+`, `(a)*b`, ` *([A-Z]+)`, `a*$`,
	`[^a]{2,}`, `a^b`, `a$b`, "\uFFFD", `(?i)k`, `(?i)é`, `$`, `[^é]+`, `a(b|)c`,
}

func compiled(t testing.TB, expr string, with func(string) (*Pattern, error)) *Pattern {
	t.Helper()
	p, err := with(expr)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlan(t *testing.T) {
	for expr, want := range scanned {
		if got := compiled(t, expr, Compile).Plan(); got != "byte scan: "+want {
			t.Errorf("%s\n got %s\nwant byte scan: %s", expr, got, want)
		}
	}
	for expr, want := range map[string]string{
		`, *[^, ]`: `take ',' then take ' ' then take until ' ' or ','`, `^a.`: `at the beginning then take 'a' then take until '\n'`,
		`a([^b]{1,3})`: `'a' then take until 'b'`, `ab.?`: `take 'a' then take 'b' then take until '\n'`,
	} {
		if got := compiled(t, expr, CompileTest).Plan(); got != "byte scan: "+want {
			t.Errorf("to test %s\n got %s\nwant byte scan: %s", expr, got, want)
		}
	}
	for _, expr := range left {
		p, want := compiled(t, expr, Compile), "regexp machine"
		if p.automaton != nil && p.group == 0 {
			want = "automaton"
		}
		if got := p.Plan(); got != want {
			t.Errorf("%s: got %s, want %s", expr, got, want)
		}
	}
}

// fitting are texts for expressions that chance does not make.
var fitting = []string{"abccd", "user=12", "NH 03062", "x_1@y.de", "mr bc", "OHERREN, ANNA"}

// field makes fields of what an expression is made of, few or many of its characters.
func field(r *rand.Rand, alphabet string) []byte {
	n := r.IntN(14)
	if r.IntN(8) == 0 {
		n = 55 + r.IntN(80) // around a word of bits, and beyond
	}
	b := make([]byte, n)
	few := alphabet[r.IntN(len(alphabet)):]
	few = few[:min(len(few), 1+r.IntN(len(alphabet)))]
	for i := range b {
		b[i] = few[r.IntN(len(few))]
	}
	if r.IntN(4) == 0 {
		copy(b[r.IntN(n+1):], fitting[r.IntN(len(fitting))])
	}
	return b
}

// TestAgainstMachine holds every way to find a pattern to the standard library.
func TestAgainstMachine(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	exprs := slices.Concat(slices.Sorted(maps(scanned)), left)
	for _, expr := range exprs {
		p, re := compiled(t, expr, Compile), regexp.MustCompile(expr)
		alphabet := strings.Map(func(r rune) rune {
			if strings.ContainsRune(`[](){}+*?^$\|`, r) {
				return -1
			}
			return r
		}, expr) + ", ab@\n\xc3é\xa9\xff1x"
		found := 0
		for range rounds.Of(40) {
			var fields [][]byte
			for range 500 {
				fields = append(fields, field(r, alphabet))
			}
			found += against(t, p, re, fields)
		}
		if found == 0 && expr != `a^b` && expr != `a$b` {
			t.Errorf("%s was never found", expr)
		}
	}
}

func maps(m map[string]string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// against holds p to re over fields, by itself and in a batch, and returns how many it was
// found in.
func against(t *testing.T, p *Pattern, re *regexp.Regexp, fields [][]byte) int {
	t.Helper()
	text, column, sel := batch(fields)
	out := make(records.Column, len(fields))
	finder := p.Finder()
	kept := finder.scan(text, column, sel, out, nil)
	selected := compiled(t, p.expr, CompileTest).Finder().Select(text, column, slices.Clone(sel))
	if again := finder.Select(text, column, slices.Clone(sel)); !slices.Equal(again, selected) {
		t.Fatalf("%v: %d fields match, or %d", p, len(again), len(selected))
	}
	n := 0
	for i, f := range fields {
		at := re.FindSubmatchIndex(f)
		if at == nil {
			continue
		}
		if g := 2 * p.group; at[g] < 0 {
			at[g], at[g+1] = at[0], at[0]
		}
		at = at[2*p.group:]
		if n == len(kept) || int(kept[n]) != i || n == len(selected) || int(selected[n]) != i {
			t.Fatalf("%v in %q, %v: not found", p, f, p.Plan())
		}
		if want := (records.Span{Off: column[i].Off + uint32(at[0]), Len: uint32(at[1] - at[0])}); out[i] != want {
			t.Fatalf("%v in %q, %v: got %q, want %q", p, f, p.Plan(), out[i].Of(text), want.Of(text))
		}
		n++
	}
	if len(kept) > n || len(selected) > n {
		t.Fatalf("%v: found where it is not", p)
	}
	return n
}

// TestRandomExpressions makes expressions of the pieces that shapes are made of, and others.
func TestRandomExpressions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	sets := []string{"a", "b", "[ab]", "[^a]", "[^ab]", " ", ".", "é", "(?s:.)", "(?i:b)"}
	times := []string{"", "", "", "*", "+", "+", "?", "{2}", "{1,3}", "{2,}", "*?"}
	shapes, found := 0, 0
	for range rounds.Of(3000) {
		var b strings.Builder
		if r.IntN(4) == 0 {
			b.WriteByte('^')
		}
		n := r.IntN(5)
		from := r.IntN(n + 1)
		for i := range n {
			if i == from {
				b.WriteByte('(')
			}
			b.WriteString(sets[r.IntN(len(sets))] + times[r.IntN(len(times))])
		}
		if from < n {
			b.WriteByte(')')
		}
		if r.IntN(4) == 0 {
			b.WriteByte('$')
		}
		expr := b.String()
		p := compiled(t, expr, Compile)
		if p.shape != nil {
			shapes++
		}
		var fields [][]byte
		for range 60 {
			fields = append(fields, field(r, "aabb \nB\xc3\xa9c"))
		}
		found += against(t, p, regexp.MustCompile(expr), fields)
	}
	if shapes < rounds.Of(1000) || found < rounds.Of(30_000) {
		t.Errorf("%d expressions have shapes, %d fields fit: the test does not test much", shapes, found)
	}
}

// A scan that would take quadratic time gives up. Then the standard library finds no match.
func TestPatience(t *testing.T) {
	p := compiled(t, `a[ab]*c`, Compile)
	for n, want := range map[int]verdict{10: fails, 100_000: unsure} {
		f := append(bytes.Repeat([]byte("a"), n), 'd')
		if _, _, v := p.shape.find(f); v != want {
			t.Errorf("%d bytes: got %v, want %v", n, v, want)
		}
		against(t, p, p.re, [][]byte{f})
	}
}

func FuzzFind(f *testing.F) {
	for expr := range scanned {
		f.Add(expr, []byte("OHERREN, ANNA"))
	}
	f.Fuzz(func(t *testing.T, expr string, field []byte) {
		if p, err := Compile(expr); err == nil {
			against(t, p, regexp.MustCompile(expr), [][]byte{field})
		}
	})
}
