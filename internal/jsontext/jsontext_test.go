package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// validate gives a text to a new Validator, cut at the places.
func validate(b []byte, many bool, cuts ...int) error {
	v := New(0, many)
	begin := 0
	for _, cut := range cuts {
		if err := v.Write(b[begin:cut]); err != nil {
			return err
		}
		begin = cut
	}
	if err := v.Write(b[begin:]); err != nil {
		return err
	}
	return v.Close()
}

// twin is the machine alone, a byte at a time, with places counted in the most obvious way.
func twin(b []byte, depthMax int, many bool) error {
	m := machine{depthMax: depthMax}
	if many {
		m.state = manyTops
	}
	line, column := int64(1), int64(1)
	for i, c := range b {
		if reason := m.step(c); reason != "" {
			if i == 0 {
				reason = atBegin(c, reason)
			}
			return &SyntaxError{int64(i), line, column, reason}
		}
		column++
		if c == '\n' {
			line, column = line+1, 1
		}
	}
	if reason := m.end(); reason != "" {
		return &SyntaxError{int64(len(b)), line, column, reason}
	}
	return nil
}

// same reports whether two errors say the same.
func same(a, b error) bool {
	if a == nil || b == nil {
		return a == b
	}
	var x, y *SyntaxError
	return errors.As(a, &x) && errors.As(b, &y) && *x == *y
}

// random returns a text that is JSON, pretty with all kinds of values.
func random(r *rand.Rand, words int) []byte {
	var b []byte
	for len(b) == 0 || words > 0 {
		if len(b) > 0 {
			b = append(b, ',', '\n')
		}
		b = appendValue(b, r, &words, 0)
	}
	return append(append([]byte{'['}, b...), ']')
}

var strangeStrings = []string{
	`""`, `"a"`, `"\""`, `"\\"`, `"\\\\\""`, `"\u00e9\ud83d\ude00"`, `"é"`, `"漢字かな交じり文"`, `"😀"`, `"\n\t\b\f\r\/"`,
	`"a string that is longer than a block of sixty-four bytes, so that it spans one, {[:,]} and \"more\" "`,
	`"\uD800 alone"`, `"` + strings.Repeat(`\`, 130) + `"`, `"` + strings.Repeat(`\u1234`, 30) + `"`, `"` + strings.Repeat("ü€😀", 30) + `"`,
}

var strangeNumbers = []string{
	"0", "-0", "1", "-1", "12345678", "123456789", "1234567890123456", "0.5", "-0.25e-10", "1e5", "1E+5", "12345678.12345678e12345678",
	"3.141592653589793238462643383279502884197169399375105820974944592307816406286208998628034825342117067982148086513282306647",
}

func appendValue(b []byte, r *rand.Rand, words *int, depth int) []byte {
	*words--
	white := func() {
		switch r.IntN(4) {
		case 0:
			b = append(b, '\n')
			b = append(b, bytes.Repeat([]byte(" "), 2*depth)...)
		case 1:
			b = append(b, " \t\r\n"[r.IntN(4)])
		}
	}
	white()
	switch k := r.IntN(10); {
	case k < 2 && depth < 20:
		b = append(b, '{')
		for i := range r.IntN(6) {
			if i > 0 {
				b = append(b, ',')
			}
			white()
			b = append(b, strangeStrings[r.IntN(len(strangeStrings))]...)
			white()
			b = append(b, ':')
			b = appendValue(b, r, words, depth+1)
		}
		white()
		b = append(b, '}')
	case k < 4 && depth < 20:
		b = append(b, '[')
		for i := range r.IntN(6) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, r, words, depth+1)
		}
		white()
		b = append(b, ']')
	case k < 7:
		b = append(b, strangeStrings[r.IntN(len(strangeStrings))]...)
	case k < 9:
		b = append(b, strangeNumbers[r.IntN(len(strangeNumbers))]...)
	default:
		b = append(b, []string{"true", "false", "null"}[r.IntN(3)]...)
	}
	white()
	return b
}

// mutate changes a byte, takes one out, or puts one in.
func mutate(b []byte, r *rand.Rand) []byte {
	i := r.IntN(len(b))
	c := "{}[]:,\"\\ \n0123456789-+.eEtfnu\x00\x1f\x7f\x80\xbf\xc0\xc3\xe0\xed\xf0\xf4\xff"
	switch r.IntN(3) {
	case 0:
		b[i] = c[r.IntN(len(c))]
	case 1:
		b = append(b[:i], b[i+1:]...)
	default:
		b = append(b[:i], append([]byte{c[r.IntN(len(c))]}, b[i:]...)...)
	}
	return b
}

// oracle holds err to what encoding/json and unicode/utf8 say.
func oracle(b []byte, err error) error {
	if want := json.Valid(b) && utf8.Valid(b); want != (err == nil) {
		return fmt.Errorf("got %v, but encoding/json says %v and unicode/utf8 %v", err, json.Valid(b), utf8.Valid(b))
	}
	return nil
}

func TestRandomAndMutated(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		b := random(r, 1+r.IntN(400))
		if err := validate(b, false, r.IntN(len(b)+1)); err != nil {
			t.Fatalf("%v: %q", err, b)
		}
		for range 4 {
			b = mutate(b, r)
			want := twin(b, DepthMax, false)
			got := validate(b, false)
			if !same(got, want) {
				t.Fatalf("got %v, want %v: %q", got, want, b)
			}
			if err := oracle(b, got); err != nil {
				t.Fatalf("%v: %q", err, b)
			}
			cut := r.IntN(len(b) + 1)
			if got := validate(b, false, cut); !same(got, want) {
				t.Fatalf("cut at %d: got %v, want %v: %q", cut, got, want, b)
			}
		}
	}
}
