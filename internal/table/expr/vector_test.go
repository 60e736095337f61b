package expr

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/test/rounds"
)

// vectorFields are numbers around the limits of words, and what is no number.
var vectorFields = []string{"0", "-0", "1", "-1", "2.50", "-0.001", "99.99", "100", "1e3", "", " 7 ", "x", "1e400", ".5", "-.5",
	"9223372036854775807", "-9223372036854775808", "4611686018427387903", "4611686018427387904", "-4611686018427387904",
	"3037000499", "-3037000500", "3037000500", "0.000000000000000001", "0.0000000000000000001", "123456789.123456789",
	"999999999999999999999", "1000000000"}

var vectorTexts = []string{"a * b", "a + b", "a - b", "-a", "a * a * a", "a * b + 1.5", "(a - b) * (a + b)", "a - 0.01 * b", "a * b * at",
	"a + b * 1000000000", "a * -1", "- - a * b", "a * 0.5 * 0.25", "2 * 3 - a", "a + a + a", "-a - a - a"}

// TestVector holds the values of batches to those of single records.
func TestVector(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 1))
	computed, left := 0, 0
	for range rounds.Of(400) {
		text := vectorTexts[r.IntN(len(vectorTexts))]
		e, _, err := Parse(text, 0, scope)
		if err != nil {
			t.Fatal(err)
		}
		v := e.Vector()
		if v == nil {
			t.Fatalf("%s has no vector", text)
		}
		for range 4 { // scales grow from batch to batch
			done, rest := compareBatch(t, r, text, e, v)
			computed, left = computed+done, left+rest
		}
	}
	if computed == 0 || left == 0 {
		t.Errorf("%d values were computed in batches and %d were not", computed, left)
	}
}

// compareBatch computes a random batch, and returns how many values were computed in it and not.
func compareBatch(t *testing.T, r *rand.Rand, name string, e *Expr, v *Vector) (computed, left int) {
	t.Helper()
	memory := []byte(strings.Repeat("7", records.SlackBytes)) // what is around fields must not count
	var columns [3]records.Column
	n := 1 + r.IntN(records.Max)
	usual, fields := r.IntN(3) == 0, vectorFields
	if r.IntN(2) == 0 {
		fields = vectorFields[15:23] // large integers alone, so that the scale stays 0
	}
	var sel records.Selection
	for i := range n {
		if r.IntN(5) > 0 {
			sel = append(sel, uint16(i))
		}
	}
	for c := range columns {
		columns[c] = make(records.Column, records.Max)
		for i := range n {
			field := fmt.Sprintf("%.*f", r.IntN(3), r.NormFloat64()*1000)
			if !usual || r.IntN(50) == 0 {
				field = fields[r.IntN(len(fields))]
			}
			columns[c][i] = records.Span{Off: uint32(len(memory)), Len: uint32(len(field))}
			memory = append(append(memory, field...), '7')
		}
	}
	text := append(memory, make([]byte, records.SlackBytes)...)[:len(memory)]
	done, rest := v.Compute(text, func(column int) records.Column { return columns[column] }, sel)
	if len(done)+len(rest) != len(sel) {
		t.Fatalf("%s: %d records and %d others of %d", name, len(done), len(rest), len(sel))
	}
	for _, i := range done {
		field := func(column int) []byte { return columns[column][i].Of(text) }
		got, want := string(v.Append(nil, i)), written(e.Value(field))
		if got != want {
			t.Fatalf("%s of %q, %q, %q: %s in a batch, %s alone", name, field(0), field(1), field(2), got, want)
		}
	}
	compareNumbers(t, name, v, text, columns[:], sel)
	return len(done), len(rest)
}

// compareNumbers holds numbers that were computed to those that are parsed from the texts of the values.
func compareNumbers(t *testing.T, name string, v *Vector, text []byte, columns []records.Column, sel records.Selection) {
	t.Helper()
	for _, scale := range []int{0, 2, decimal.ScaleMax} {
		got := &decimal.Numbers{Scale: scale, Fixed: true}
		done, rest := v.ComputeNumbers(got, text, func(column int) records.Column { return columns[column] }, sel)
		if len(done)+len(rest) != len(sel) {
			t.Fatalf("%s: %d records and %d others of %d", name, len(done), len(rest), len(sel))
		}
		values, at := []byte(strings.Repeat(" ", records.SlackBytes)), make(records.Column, records.Max)
		for _, i := range done {
			from := len(values)
			values = v.Append(values, i)
			at[i] = records.Span{Off: uint32(from), Len: uint32(len(values) - from)}
		}
		values = append(values, make([]byte, records.SlackBytes)...)
		want := &decimal.Numbers{Scale: scale, Fixed: true}
		want.Parse(values, at, done)
		if !want.AllPlain || got.Decimals != want.Decimals {
			t.Fatalf("%s: all plain %v, %d decimals, want %d", name, want.AllPlain, got.Decimals, want.Decimals)
		}
		for _, i := range done {
			if got.Mantissa[i] != want.Mantissa[i] {
				t.Fatalf("%s: %d at scale %d, want %d", name, got.Mantissa[i], scale, want.Mantissa[i])
			}
		}
	}
}

func TestNoVector(t *testing.T) {
	for _, text := range []string{"a", "a / b", "lower(a)", "a[1:3] * 2", "abs(a) + 1", "a * 1e3", "a * 0.0000000000000000001", "1 - year(a)",
		"a * 99999999999999999999"} {
		e, _, err := Parse(text, 0, scope)
		if err != nil || e.Vector() != nil {
			t.Errorf("%s has a vector; error %v", text, err)
		}
	}
}
