package matrix

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/question"
)

// someTexts returns texts, some of which are a prefix or suffix of others, or equal; sometimes very
// many.
func someTexts(r *rand.Rand) (all []string) {
	n := pick(r, 1, 2, 3, 5, 20)
	if chance(r, 20) {
		n = near(r, sizes(2000, 100, 1000))
	}
	for range max(n, 1) {
		switch {
		case len(all) > 0 && chance(r, 4):
			s := pick(r, all...)
			all = append(all, s[:1+r.IntN(len(s))])
		case len(all) > 0 && chance(r, 4):
			all = append(all, pick(r, all...)+pick(r, "a", "b", "\x00"))
		case n > 50:
			all = append(all, fmt.Sprintf("2026-01-%02dT%04d", r.IntN(30), r.IntN(10_000)))
		default:
			all = append(all, string(randomBytes(r, 1+r.IntN(pick(r, 2, 6, 40)), "ab\x00\n")))
		}
	}
	return all
}

// firstOf returns the matches of several alternatives. At each offset, the first in the list counts.
func firstOf(span []byte, fit []func(at []byte) int) (hits []answer.Hit) {
	for at := 0; at < len(span); {
		n := 0
		for _, length := range fit {
			if n = length(span[at:]); n > 0 {
				break
			}
		}
		if n > 0 {
			hits = append(hits, answer.Hit{Off: int64(at), Len: int64(n)})
		}
		at += max(n, 1)
	}
	return hits
}

func flagsOf(name string, values []string) (flags []string) {
	for _, v := range values {
		one := flag(name, v)
		if one == nil || len(values) > 100 {
			return nil
		}
		flags = append(flags, one...)
	}
	return flags
}

// texts searches for any of several texts.
func texts(r *rand.Rand) (asked, error) {
	all := someTexts(r)
	query, err := thresh.Any(question.Literals{Texts: all})
	var fit []func([]byte) int
	for _, s := range all {
		fit = append(fit, func(at []byte) int { return fits(at, []byte(s)) })
	}
	return found(asked{name: fmt.Sprintf("texts %.200q", all), query: query, flags: flagsOf("text", all), parts: fewOf(r, all),
		places: func(span []byte) []answer.Hit { return firstOf(span, fit) }}, err)
}

// fits returns the length of the match at the start of text, 0 if there is none.
func fits(text, begin []byte) int {
	if bytes.HasPrefix(text, begin) {
		return len(begin)
	}
	return 0
}

// fewOf returns some of many texts, and their prefixes.
func fewOf(r *rand.Rand, all []string) (parts []string) {
	for range 6 {
		parts = append(parts, partsOf(r, pick(r, all...))...)
	}
	return parts
}

// anyOf searches for texts while ignoring case, or for texts and bytes with wildcards.
func anyOf(r *rand.Rand) (asked, error) {
	all := someTexts(r)
	if chance(r, 2) {
		for i := range all {
			all[i] = strings.ReplaceAll(all[i], "\x00", pick(r, "k", "ſ", "É", "ß", "σ"))
		}
		return ignoringCase(r, all)
	}
	pattern, err := hexadecimal(r)
	if err != nil {
		return asked{}, err
	}
	hex := strings.TrimSuffix(strings.TrimPrefix(pattern.name, `hex "`), `"`)
	query, err := thresh.Any(question.Literals{Texts: all, Hex: []string{hex}})
	var fit []func([]byte) int
	for _, s := range all {
		fit = append(fit, func(at []byte) int { return fits(at, []byte(s)) })
	}
	length := len(strings.ReplaceAll(hex, " ", "")) / 2
	fit = append(fit, func(at []byte) int { return len(pattern.places(at[:min(len(at), length)])) * length })
	return found(asked{name: fmt.Sprintf("any of %.200q and %s", all, pattern.name), query: query,
		flags: bothFlags(flagsOf("text", all), pattern.flags), parts: append(fewOf(r, all), pattern.parts...),
		places: func(span []byte) []answer.Hit { return firstOf(span, fit) }}, err)
}

func bothFlags(a, b []string) []string {
	if a == nil || b == nil {
		return nil
	}
	return append(a, b...)
}

func ignoringCase(r *rand.Rand, all []string) (asked, error) {
	var quoted []string
	for _, s := range all {
		quoted = append(quoted, regexp.QuoteMeta(s))
	}
	re, err := regexp.Compile("(?is:" + strings.Join(quoted, "|") + ")")
	if err != nil {
		return asked{}, err
	}
	query, err := thresh.Any(question.Literals{Texts: all, IgnoreCase: true})
	flags := flagsOf("text", all)
	if flags != nil {
		flags = append(flags, "-i")
	}
	parts := fewOf(r, all)
	for _, s := range parts {
		parts = append(parts, strings.ToUpper(s), strings.ToLower(s))
	}
	return found(asked{name: fmt.Sprintf("any case of %.200q", all), query: query, flags: flags,
		parts: append(parts, "K", "\u212a", "s", "S", "ẞ", "ς"), places: func(span []byte) (hits []answer.Hit) {
			for _, m := range re.FindAllIndex(span, -1) {
				hits = append(hits, answer.Hit{Off: int64(m[0]), Len: int64(m[1] - m[0])})
			}
			return hits
		}}, err)
}

// expressions searches for matches of any of several expressions.
func expressions(r *rand.Rand) (asked, error) {
	var all, groups, parts []string
	for range 1 + r.IntN(3) {
		expr, some := randomExpression(r)
		all, groups, parts = append(all, expr), append(groups, "(?:"+expr+")"), append(parts, some...)
	}
	plain, err := regexp.Compile(strings.Join(groups, "|"))
	if err != nil {
		return asked{}, fmt.Errorf("the test's own expression: %w", err)
	}
	query, err := thresh.Regexp(all...)
	return found(asked{name: fmt.Sprintf("regexes %q", all), query: query, flags: flagsOf("regex", all), parts: parts,
		places: func(span []byte) []answer.Hit { return matches(plain, span) }}, err)
}

// anyTexts asks for any of several literals, all of which are texts in half of the cases.
func anyTexts(r *rand.Rand) (asked, error) {
	if chance(r, 2) {
		return texts(r)
	}
	return anyOf(r)
}

// anyExpressions asks for matches of one expression or of any of several.
func anyExpressions(r *rand.Rand) (asked, error) {
	if chance(r, 2) {
		return expression(r)
	}
	return expressions(r)
}
