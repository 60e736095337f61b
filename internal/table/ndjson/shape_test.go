package ndjson

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// member is a key and its value as they are written, with white space around.
type member struct{ key, value string }

// likeBefore returns lines that look like one another: members come, go, change places and values.
func likeBefore(r *rand.Rand, keys []string, lines int) (out [][]byte) {
	values := []string{`1`, `-2.5e3`, `"x"`, `"\u00e9"`, `null`, `true`, `[]`, `{}`, `{"a":{"b":1},"b":"in"}`, `[{"b":1,"a":2},{"a":3}]`,
		`[[{"a":1}],[{"b":2,"a":[{"b":4}]}]]`, `{ "b" : {"a": 1, "b":[1,2,{"b":5}]} }`, `12345678901234567`,
		`"a long string, which takes more than a word of quotes"`}
	value := func() string { return values[r.IntN(len(values))] }
	var now []member
	for _, k := range keys {
		now = append(now, member{k, value()})
	}
	separators := []string{",", ", ", " ,"}
	separator := separators[r.IntN(3)]
	for range lines {
		switch at := r.IntN(len(now)); r.IntN(9) {
		case 0:
			if len(now) > 1 {
				now = slices.Delete(slices.Clone(now), at, at+1)
			}
		case 1:
			now = slices.Insert(slices.Clone(now), at, member{keys[r.IntN(len(keys))], value()})
		case 2:
			now = slices.Clone(now)
			to := r.IntN(len(now))
			now[at], now[to] = now[to], now[at]
		case 3, 4:
			now = slices.Clone(now)
			now[at].value = value()
		case 5:
			separator = separators[r.IntN(3)]
		}
		var parts []string
		for _, m := range now {
			parts = append(parts, m.key+m.value)
		}
		line := "{" + strings.Join(parts, separator) + "}"
		if r.IntN(6) == 0 { // what was remembered must not make it valid
			at := r.IntN(len(line))
			line = line[:at] + []string{"", ",", "{", "}", `"a":`, ":", `"`}[r.IntN(7)] + line[at+1:]
		}
		if !IsBlank([]byte(line)) {
			out = append(out, []byte(line))
		}
	}
	return out
}

// TestRemembered compares lines whose keys are remembered with encoding/json.
func TestRemembered(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	few := []string{`"a":`, `"b": `, `"c" :`, `"\u0061":`, `"a key of more than sixteen bytes":`, `"a key of more than fifteen bytes":`, `"0":`,
		`"` + strings.Repeat("k", pairBytesMax) + `":`}
	for range 300 {
		check(t, likeBefore(r, few, 60))
	}
	var many []string
	for i := range 3 * pairsMax {
		many = append(many, fmt.Sprintf(`"k%d":`, i))
	}
	for range 20 {
		check(t, likeBefore(r, append(many, few...), 30))
	}
}

// TestNothingIsRemembered: lines that are not valid are not, whatever was remembered before.
func TestNothingIsRemembered(t *testing.T) {
	var lines [][]byte
	for _, line := range []string{`{"a":1,"b":2}`, `{"b":1}`, `{"a":1}`, `{,"b":2}`, `{"b":1"a":2}`, `{"a":1,"b":2,}`, `{"a":1,"b":}`,
		`{"a":1,,"b":2}`, `{"a":1{"a":2}`, `{"a":1}`} {
		lines = append(lines, []byte(line))
	}
	check(t, lines)
	check(t, slices.Concat(lines, lines))
}

// TestOpenAtTheEnd ends the text in each place of a word with a string that is not closed.
func TestOpenAtTheEnd(t *testing.T) {
	for n := range 200 {
		for _, end := range []string{`"`, `"b`, `"b":"`, `"b":1`, `"b":1}`, `"b":""}`, `"b":12345678`, `"b":1234567}`} {
			check(t, [][]byte{[]byte("{" + strings.Repeat(" ", n) + end)})
		}
	}
}

// TestShapesAreBounded: lines that are all different make a locator remember no more than it may.
func TestShapesAreBounded(t *testing.T) {
	var paths Paths
	l := New(&paths, nil)
	for i := range 2000 {
		line := []byte(fmt.Sprintf(`{"k%d":{"k%d":[{"k%d":%s1%s}]}}`, i, i, i, strings.Repeat("[", i%9), strings.Repeat("]", i%9)))
		l.Begin(line)
		if at, reason := l.Line(0, len(line)); reason != "" {
			t.Fatalf("%s: %s at %d", line, reason, at)
		}
	}
	var count func(s *shape) int
	count = func(s *shape) (n int) {
		if s == nil {
			return 0
		}
		if len(s.pairs) > pairsMax {
			t.Errorf("%d pairs", len(s.pairs))
		}
		for _, p := range s.pairs {
			n += count(p.inside)
		}
		return n + count(s.elements) + 1
	}
	if n := count(&l.top); n != l.shapes+1 || n > shapesMax+1 {
		t.Errorf("%d shapes, %d counted", n, l.shapes)
	}
}

func TestKnown(t *testing.T) {
	var paths Paths
	var wanted []int
	for _, name := range []string{"user.country", "user.contry", "n", "items.0", "items.2"} {
		column, err := paths.Resolve(name, false)
		if err != nil {
			t.Fatal(err)
		}
		wanted = append(wanted, column)
	}
	l := New(&paths, wanted)
	text := []byte(`{"user":{"country":"DE","\u0061":1},"items":[{"id":1},null]}` + "\n" + `{"n" :null,"x.y":{"z":1}}`)
	l.Begin(text)
	feed := bytes.IndexByte(text, '\n')
	for _, line := range [][2]int{{0, feed}, {feed + 1, len(text)}} {
		if at, reason := l.Line(line[0], line[1]); reason != "" {
			t.Fatal(at, reason)
		}
	}
	known := l.Known(plainKey)
	slices.Sort(known)
	if want := []string{"`x.y`", "`x.y`.z", "items", "n", "user", "user.a", "user.country"}; !slices.Equal(known, want) {
		t.Errorf("known: %q, want %q", known, want)
	}
	for slot, want := range []bool{true, false, true, true, false} {
		if l.Seen(slot) != want {
			t.Errorf("%s seen: %v", paths.Name(wanted[slot]), !want)
		}
	}
}

// plainKey says which keys of these tests need no backquotes.
func plainKey(key string) bool { return key != "" && !strings.ContainsAny(key, ".` -") }
