package expr

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
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
		e.Watched = r.IntN(2) == 0
		v := e.Vector()
		if v == nil {
			t.Fatalf("%s has no vector", text)
		}
		for range 4 { // scales grow from batch to batch
			done, rest := compareBatch(t, r, text, e, v, fieldsOf(r))
			computed, left = computed+done, left+rest
		}
	}
	if computed == 0 || left == 0 {
		t.Errorf("%d values were computed in batches and %d were not", computed, left)
	}
}

// fieldsOf returns all fields, or large integers alone, so that the scale stays 0.
func fieldsOf(r *rand.Rand) []string {
	if r.IntN(2) == 0 {
		return vectorFields[15:23]
	}
	return vectorFields
}

// memory is a Batch.
type memory struct {
	text    []byte
	columns []records.Column
}

func (m *memory) Column(column int) records.Column { return m.columns[column] }
func (m *memory) Text() []byte                     { return m.text }
func (m *memory) Mark() byte                       { return '"' }

// Add leaves slack after the text, and what lies there must not count.
func (m *memory) Add(value []byte) records.Span {
	off := len(m.text)
	m.text = append(append(m.text, value...), strings.Repeat("7", records.SlackBytes)...)[:off+len(value)]
	return records.Span{Off: uint32(off), Len: uint32(len(value))}
}

// field returns a field as Expr.Value takes it.
func (m *memory) field(column int, i uint16) []byte {
	if s := m.columns[column][i]; !value.IsNull(m.text, s, m.Mark()) {
		return s.Of(m.text)
	}
	return nil
}

// newMemory returns a batch of n records, whose fields fill returns. null is null.
func newMemory(n int, fill func(column int) string) *memory {
	m := &memory{columns: make([]records.Column, len(names))}
	m.Add([]byte(strings.Repeat("7", records.SlackBytes)))
	for c := range m.columns {
		m.columns[c] = make(records.Column, records.Max)
		for i := range n {
			if field := fill(c); field != null {
				m.columns[c][i] = m.Add([]byte(field))
			}
			m.Add([]byte{m.Mark()})
		}
	}
	return m
}

// compareBatch computes a random batch, and returns how many values were computed in it and not.
func compareBatch(t *testing.T, r *rand.Rand, name string, e *Expr, v *Vector, fields []string) (computed, left int) {
	t.Helper()
	n := 1 + r.IntN(records.Max)
	usual, last := r.IntN(3) == 0, null
	batch := newMemory(n, func(int) string {
		switch {
		case r.IntN(4) == 0: // as in the record before
		case !usual || r.IntN(50) == 0:
			last = fields[r.IntN(len(fields))]
		default:
			last = fmt.Sprintf("%.*f", r.IntN(3), r.NormFloat64()*1000)
		}
		return last
	})
	var sel records.Selection
	for i := range n {
		if r.IntN(5) > 0 {
			sel = append(sel, uint16(i))
		}
	}
	values, done, rest := v.Compute(batch, sel)
	if len(done)+len(rest) != len(sel) {
		t.Fatalf("%s: %d records and %d others of %d", name, len(done), len(rest), len(sel))
	}
	for _, i := range done {
		row := Row{Field: func(column int) []byte { return batch.field(column, i) }}
		if e.Watched {
			row.Bad = func(_ Node, text []byte, _ Asked) { t.Fatalf("%s: %q is computed in a batch", name, text) }
		}
		got, want := null, written(e.ValueOf(&row))
		if s := values[i]; !value.IsNull(batch.text, s, batch.Mark()) {
			got = string(s.Of(batch.text))
		}
		if got != want {
			t.Fatalf("%s of %q, %q, %q: %q in a batch, %q alone", name, batch.field(0, i), batch.field(1, i), batch.field(2, i), got, want)
		}
	}
	if v.Numeric {
		compareNumbers(t, name, v, batch, values, sel)
	}
	return len(done), len(rest)
}

// compareNumbers holds numbers that were computed to those that are parsed from the texts of the values.
func compareNumbers(t *testing.T, name string, v *Vector, batch *memory, values records.Column, sel records.Selection) {
	t.Helper()
	if v.pause > 0 {
		return
	}
	values = slices.Clone(values)
	for _, scale := range []int{0, 2, decimal.ScaleMax} {
		got := &decimal.Numbers{Scale: scale, Fixed: true}
		done, rest := v.ComputeNumbers(got, batch, sel)
		if len(done)+len(rest) != len(sel) {
			t.Fatalf("%s: %d records and %d others of %d", name, len(done), len(rest), len(sel))
		}
		want := &decimal.Numbers{Scale: scale, Fixed: true}
		want.Parse(batch.text, values, done)
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

// TestRandomVectors holds the values of batches to those of single records, for random expressions of all kinds.
func TestRandomVectors(t *testing.T) {
	computed, left := 0, 0
	for round := range rounds.Of(1500) {
		r := rand.New(rand.NewPCG(21, uint64(round)))
		text := (&writer{r}).any(3)
		e, end, err := Parse(text, 0, scope)
		if err != nil || end != len(text) {
			t.Fatalf("%s: %d %v", text, end, err)
		}
		v := e.Vector()
		if v == nil {
			continue
		}
		for range 3 {
			done, rest := compareBatch(t, r, fmt.Sprintf("round %d, %s", round, text), e, v, allFields)
			computed, left = computed+done, left+rest
			v.pause = 0
		}
	}
	if computed < 4*left {
		t.Errorf("%d values were computed in batches and %d were not", computed, left)
	}
}

var allFields = []string{null, null, "", "0", "1", "1", "2", "-3", "2.50", "2.5", " 7 ", "12", "1e3", "99999999999999999999", "x", "X", "ab%", "Straße",
	"日本", "true", "false", "no", "2026-11-23", "2026-11-23 10:35:07", "2026-11-23T10:35:07.25+01:00", "2013-07-15 10:47:34", "2013-07-15 23:59:60",
	"http://www.example.org/a/b?q=1", "https://example.org/", "  ", "\x00", "a,b"}

// writer writes random expressions.
type writer struct{ *rand.Rand }

func (w *writer) pick(all ...string) string { return all[w.IntN(len(all))] }

func (w *writer) column() string { return w.pick("a", "b", "at", "a[1:3]", "b[2:]") }

// any writes a value.
func (w *writer) any(depth int) string {
	if depth == 0 || w.IntN(8) == 0 {
		return w.pick(w.column(), w.column(), w.column(), "1", "2.50", "'x'", "''", "null", "true", "'2026-11-23'")
	}
	x, y, z := w.any(depth-1), w.any(depth-1), w.any(depth-1)
	switch w.IntN(9) {
	case 0:
		return "(" + x + w.pick(" + ", " - ", " * ", " || ", " / ", " % ") + y + ")"
	case 1, 2:
		return w.pick("length", "strlen", "lower", "upper", "abs", "floor", "sign", "date", "year", "month", "week", "hour", "minute", "-", "trim") +
			"(" + x + ")"
	case 3:
		return w.pick("coalesce", "nullif", "greatest", "least", "concat", "contains", "starts_with", "mod") + "(" + x + ", " + y + ")"
	case 4:
		return w.pick("substr("+x+", 2)", "substr("+x+", 2, 3)", "substr("+x+", "+y+")", "left("+x+", 2)", "left("+x+", "+y+")", "left("+x+", -1)",
			"right("+x+", 1)", "round("+x+", 1)", "replace("+x+", 'x', "+y+")", "split_part("+x+", '/', 3)")
	case 5:
		unit := w.pick("year", "quarter", "month", "week", "day", "hour", "minute", "second", "decade", "millisecond")
		return w.pick("date_trunc('"+unit+"', "+x+")", "date_part('"+unit+"', "+x+")", "extract("+unit+" from "+x+")",
			"("+x+" + interval '90 minutes')", "date_diff('"+unit+"', "+x+", "+y+")")
	case 6:
		return "case when " + w.condition(depth-1) + " then " + x + " when " + w.condition(depth-1) + " then " + y + w.pick("", " else "+z) + " end"
	case 7:
		return w.pick("case "+x+" when "+y+" then 1 when 'x' then "+z+" else 'other' end", "if("+w.condition(depth-1)+", "+x+", "+y+")",
			"regexp_replace("+x+", '^https?://(?:www[.])?([^/]+)/.*$', '\\1')", "regexp_replace("+x+", '[a-z]', '-', 'g')",
			"regexp_replace("+x+", '^(.).', '\\1')",
			"regexp_matches("+x+", '[0-9]')", "cast("+x+" as "+w.pick("varchar", "integer", "decimal(9, 2)", "double", "date", "timestamp", "boolean")+")")
	}
	return "(" + w.condition(depth-1) + ")"
}

// condition writes a condition.
func (w *writer) condition(depth int) string {
	x := w.any(max(depth-1, 0))
	if depth > 0 && w.IntN(3) == 0 {
		y := w.condition(depth - 1)
		return w.pick("(", "not (") + w.condition(depth-1) + w.pick(" and ", " or ") + y + ")"
	}
	rel := w.pick(" = ", " != ", " < ", " <= ", " > ", " >= ")
	return w.pick(x+rel+w.any(max(depth-1, 0)), x+rel+w.pick("1", "2.5", "-3", "0.001", "1e3", "99999999999999999999", "null"),
		x+rel+w.pick("'x'", "''", "'2026-11-23'", "'12'"), x+" is null", x+" is not null", x+" like "+w.pick("'%x%'", "'2%'", "'%'", "'_'"),
		x+" in (1, 'x', 2.5)",
		x+" in ("+w.any(0)+", 'x', "+w.any(0)+")", x+" not in ('x', null)", x+" between 1 and '3'",
		x+" between "+w.any(0)+" and "+w.any(0), x+" ~ '[0-9]'", x+" is distinct from "+w.any(0))
}

func TestNoVector(t *testing.T) {
	for _, text := range []string{"a", "a[1:3]", "a is distinct from b", "a + interval '1 day'"} {
		e, _, err := Parse(text, 0, scope)
		if err != nil || e.Vector() != nil {
			t.Errorf("%s has a vector; error %v", text, err)
		}
	}
}
