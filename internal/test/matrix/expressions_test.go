package matrix

import (
	"fmt"
	"math/rand/v2"
	"regexp/syntax"
	"strings"
)

// everyday are expressions that people write, and some for every code path of the engine: with a
// literal at the start, inside, at the end, or none; with line and word boundaries; matching the
// empty text, NUL or invalid UTF-8; unbounded ones and long ones.
var everyday = []string{
	`a.c`, `abc`, `ab+`, `b+a`, `[ab]+c`, `a{2,5}`, `[a-z]{2,9}`, `^a`, `b$`, `^a.*b$`, `^$`, `^`, `$`, `a*`, `(a|b)*c`, `x*`,
	`\bab\b`, `\Ba`, `\b`, `a|ab`, `ab|a`, `a+?b`, `.*`, `.+`, `.*b`, `a.*`, `[^a]`, `[^a]+`, `"[^"]*"`, `\x00+`, `[^\x00]+`, `.`,
	`é`, `[é-ü]+`, `\pL+`, `\x{fffd}`, `(?i)AbC`, `(?i)k`, `(?s).`, `a\x00b`, `user=[0-9]{9}`, `status=5[0-9]{2}`, `[0-9]+ms`,
	`(?:ab|cd|ef)x`, `foo|bar|baz`, `\w+@\w+\.com`, `a.*c|a`, `(?:a|ab)(?:c|bcd)`, `a(?:\b|-)+`, `(?:^|a)+`, `(?:a$|b)+`, `a??`,
	`(a*)+`, `(?:a|b|)+c`, `[ab]*?c`, `.{3}`, `.{0,7}b`, `^.{2}`, `.{2}$`, `\d{3}-\d{4}`, `\s+$`, `^\s*#`, `a\r?$`, `needle`,
	`n.*e`, `(?U)a+`, `[[:alpha:]]+`, `\Aab`, `ab\z`, `(?m)^a`, `(?m)b$`, `[^\n]*x`, `(?:abc){2,}`, `a{20,40}`, `\S+`,
}

// randomExpression returns an expression and the parts to make inputs of.
func randomExpression(r *rand.Rand) (string, []string) {
	parts := []string{"a", "b", "c", "ab", "abc", "é", "\xff", "\xc3", "\xe2\x82", "\x00", " ", "-", "_", "x", `"`, "0", "5", "\r",
		"needle", "user=123456789", "status=503", "me@a.com", "ABC", "K", "\u212a", "\ufffd"}
	expr := pick(r, everyday...)
	if chance(r, 2) {
		expr = randomTree(r, 3)
		if chance(r, 8) {
			expr = "(?i)" + expr
		}
	}
	if _, err := syntax.Parse(expr, syntax.Perl); err != nil { // repeated too often
		expr = everyday[0]
	}
	n := 1 + r.IntN(6)
	some := make([]string, n)
	for i := range some {
		some[i] = pick(r, parts...)
	}
	return expr, append(some, "a", "b", "abc")
}

// randomTree returns an expression with this many levels.
func randomTree(r *rand.Rand, depth int) string {
	if depth == 0 || chance(r, 4) {
		return pick(r, "a", "b", "c", "ab", "abc", ".", "[ab]", "[^a]", `\w`, `\d`, `\s`, "^", "$", `\b`, `\B`, "é", "[à-ÿ]", `\x00`,
			`[^\x00-\x7f]`, "-", "x", `[a-z]`, `\pL`, "")
	}
	sub := func() string { return randomTree(r, depth-1) }
	switch r.IntN(6) {
	case 0:
		return "(?:" + sub() + "|" + sub() + ")"
	case 1:
		return "(?:" + sub() + ")" + pick(r, "*", "+", "?", "*?", "+?", "??")
	case 2:
		return fmt.Sprintf("(?:%s){%d,%d}", sub(), r.IntN(3), 3+r.IntN(3))
	case 3:
		return strings.Join([]string{sub(), sub(), sub()}, "")
	}
	return sub() + sub()
}
