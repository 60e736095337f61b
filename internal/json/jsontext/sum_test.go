package jsontext

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// joined validates a text by the Sums of its pieces, each made independently, in tiles of that many
// bytes.
func joined(b []byte, values Values, tile int, cuts ...int) error {
	v := New(0, values)
	d := jsonscan.NewDescriber(jsonscan.Best().Func)
	var at jsonscan.State
	begin := 0
	for _, cut := range append(cuts, len(b)) {
		s := NewSum(0)
		p := b[begin:cut]
		s.Begin(p)
		state := at
		for from := 0; from < len(p); from += tile {
			q := p[from:min(from+tile, len(p))]
			blocks, _, found := d.Describe(q, state)
			s.Add(from, blocks, found)
			for _, c := range q {
				state = afterByte(state, c)
			}
		}
		at = state
		if err := v.Join(s); err != nil {
			return err
		}
		begin = cut
	}
	return v.Close()
}

// afterByte tracks strings in the most obvious way.
func afterByte(at jsonscan.State, c byte) jsonscan.State {
	switch {
	case at.Escaped:
		at.Escaped = false
	case c == '\\':
		at.Escaped = true
	case c == '"':
		at.InString = !at.InString
	}
	return at
}

// Joined Sums give the same result as the twin, for two pieces cut anywhere and for pieces of every
// size.
func TestSumsJoinAtEverySplit(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for round := range 12 {
		b := random(r, 1+r.IntN(60))
		if round%2 == 1 {
			b = append(append(b, "\n 1\"a\" "...), random(r, 30)...)
		}
		for range round % 4 {
			b = mutate(b, r)
		}
		values := Values(r.IntN(3))
		want := twin(b, DepthMax, values)
		for cut := r.IntN(1 + len(b)/400); cut <= len(b); cut += 1 + len(b)/400 {
			if got := joined(b, values, 64, cut); !same(got, want) {
				t.Fatalf("values %d, cut at %d: got %v, want %v: %.500q", values, cut, got, want, b)
			}
		}
		for size := 1; size < len(b); size += 1 + size/3 {
			var cuts []int
			for at := size; at < len(b); at += size {
				cuts = append(cuts, at)
			}
			if got := joined(b, values, 128, cuts...); !same(got, want) {
				t.Fatalf("values %d, pieces of %d: got %v, want %v: %q", values, size, got, want, b)
			}
		}
	}
}

// tokens has one token for each symbol of the grammar.
var tokens = []string{"{", "}", "[", "]", ":", ",", `"a"`, "1", " "}

// TestEveryShortSequence compares the bit operations with the state machine for every sequence of six
// tokens, at the top level, in an array, and in an object.
func TestEveryShortSequence(t *testing.T) {
	length := 6
	if testing.Short() {
		length = 5
	}
	frames := [][2]string{{"[1] ", " [2]"}, {"[[3],", ",4]"}, {`[{"b":[5],"c":`, `,"d":6}]`}, {`{"x":{"y":[]`, `,"z":""}}`}, {"[9] ", ""},
		{"[[3]", ""}}
	spaces := strings.Repeat(" ", tailBytes+1)
	at := make([]int, length)
	var b []byte
	v := New(0, Several)
	fresh := *v
	for {
		for _, frame := range frames {
			b = append(b[:0], frame[0]...)
			for _, i := range at {
				b = append(b, tokens[i]...)
			}
			b = append(append(b, frame[1]...), spaces...)
			m := machineFor(DepthMax, Several)
			m.nest.words = make([]uint64, 1, 4)
			n, reason := m.steps(b)
			if reason == "" {
				reason = m.end()
			}
			nest := v.nest.words
			*v = fresh
			v.nest.words = nest
			v.sum.Begin(b)
			blocks, _, found := v.describer.Describe(b, jsonscan.State{})
			v.sum.Add(0, blocks, found)
			err := v.Join(v.sum)
			if err == nil {
				err = v.Close()
			}
			var e *SyntaxError
			if errors.As(err, &e) != (reason != "") || e != nil && (e.Offset != int64(n) || e.Reason != reason) {
				t.Fatalf("%q: got %v, want %q at %d", b, err, reason, n)
			}
			if doubt := !v.sum.begun || v.sum.fault < v.sum.to; err == nil && doubt {
				t.Fatalf("%q is valid, but its Sum suspects an error at %d", b, v.sum.fault)
			}
		}
		i := 0
		for ; i < length; i++ {
			if at[i]++; at[i] < len(tokens) {
				break
			}
			at[i] = 0
		}
		if i == length {
			return
		}
	}
}

// TestShrunk runs the tests with shrunk thresholds.
func TestShrunk(t *testing.T) {
	for _, n := range []int{2, 3, 7, 64} {
		t.Run("", func(t *testing.T) {
			threshold.Shrink(t, n)
			TestRandomAndMutated(t)
			TestInvalidTexts(t)
			TestMany(t)
			TestDepth(t)
			TestLongStrings(t)
		})
	}
}

// Long strings and long white space, with possible errors at every position in a block.
func TestLongStrings(t *testing.T) {
	for _, text := range []string{"", "é", "😀", "\xe9", `\n`, `\u00e9`, `\u00eg`, `\\\"`, `\`, `\\`, "\x01", `" `, `"`, strings.Repeat(`\`, 299)} {
		for _, fill := range []string{"x", `\n`, "é", `\u00e9`, `\\`} {
			for before := 300; before < 300+70; before += 3 {
				b := []byte("[\"" + strings.Repeat(fill, before/len(fill)) + text + strings.Repeat(fill, 700/len(fill)) + "\"\n" +
					strings.Repeat(" ", before) + "]")
				want := twin(b, DepthMax, One)
				for _, cuts := range [][]int{nil, {2 + before}, {5, before, before + 300}} {
					if got := validate(b, One, cuts...); !same(got, want) {
						t.Fatalf("%.20q after %d bytes of %q, cut at %v: got %v, want %v", text, before, fill, cuts, got, want)
					}
				}
			}
		}
	}
}

// skip passes over long strings and white space: the state machine does not go through them byte
// by byte.
func TestLongStretchesAreSkipped(t *testing.T) {
	for name, b := range map[string][]byte{
		"string":  []byte(`["` + strings.Repeat("a string, {", 5000)),
		"escapes": []byte(`["` + strings.Repeat(`ab\n \u00e9`, 5000)),
		"wide":    []byte(`["` + strings.Repeat("é漢", 5000)),
		"white":   []byte(`[` + strings.Repeat(" \n\t\r", 5000)),
	} {
		v := New(0, One)
		head := bytes.IndexByte(b, '[') + 2
		if name == "white" {
			head = 1
		}
		if n, reason := v.steps(b[:head]); n != head || reason != "" {
			t.Fatal(reason)
		}
		if n := v.skip(b[head:]); n < len(b)-head-2*jsonscan.BlockBytes {
			t.Errorf("%s: %d of %d bytes are skipped", name, n, len(b)-head)
		}
	}
}
