package filter

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// names are the columns of the tests.
var names = []string{"a", "b", "city", "odd name", "and", "x.y", "é", "7"}

var resolve = expr.Scope{Resolve: key.Columns(names), Derive: func(*expr.Expr) int { return len(names) }}

// derived are expressions whose columns follow those of names.
type derived []*expr.Expr

func (d *derived) scope() expr.Scope {
	s := resolve
	s.Derive = func(e *expr.Expr) int {
		*d = append(*d, e)
		return len(names) + len(*d) - 1
	}
	return s
}

// fill computes the columns of the expressions.
func (d derived) fill(t *table) {
	for _, e := range d {
		var c records.Column
		for i, fields := range t.fields {
			v := e.Value(func(column int) []byte { return fields[column] })
			text, _ := v.Append(nil)
			if v.IsNull() {
				c = append(c, value.Null)
				t.fields[i] = append(fields, nil)
				continue
			}
			c = append(c, records.Span{Off: uint32(len(t.text)), Len: uint32(len(text))})
			t.text = append(append(t.text, text...), mark)
			t.fields[i] = append(fields, append([]byte{}, text...))
		}
		t.columns = append(t.columns, c)
	}
	t.text = append(t.text, bytes.Repeat([]byte("1"), records.SlackBytes)...)
}

// parsed returns the condition that defines a filter.
func parsed(t *testing.T, text string) *expr.Expr {
	t.Helper()
	scope := resolve
	scope.Filter = true
	e, err := expr.ParseFilter(text, scope)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// mark follows the empty fields of a table that are not null.
const mark = '~'

// table is a batch whose fields are next to each other, with what is no field's between
// them, and slack around.
type table struct {
	text    []byte
	columns []records.Column
	fields  [][][]byte // by record, then column
}

func newTable(r *rand.Rand, rows int, field func() string) *table {
	t := &table{text: bytes.Repeat([]byte("1"), records.SlackBytes), columns: make([]records.Column, len(names))}
	for range rows {
		var fields [][]byte
		for c := range names {
			f, after := []byte(field()), "7,\x00"[r.IntN(3)]
			switch {
			case len(f) > 0:
			case r.IntN(2) == 0:
				f = nil
			default:
				after = mark
			}
			t.columns[c] = append(t.columns[c], records.Span{Off: uint32(len(t.text)), Len: uint32(len(f))})
			t.text = append(append(t.text, f...), after)
			fields = append(fields, f)
		}
		t.fields = append(t.fields, fields)
	}
	t.text = append(t.text, bytes.Repeat([]byte("1"), records.SlackBytes)...)
	return t
}

func (t *table) column(i int) records.Column { return t.columns[i] }

// values are fields that filters may take for something else.
var values = []string{
	"", " ", "0", "-0", "1", "01", "1.0", "1.5", "-1.5", "2", "10", "100", "9", " 5 ", "5\t", "1e3", "1000", "1E-1", "0.1", ".1", "5.",
	"123456789012345678901234567890", "-123456789012345678901234567890", "4611686018427387904", "4611686018427387.904", "1e308", "-1e308",
	"1e309", "0.0000001", "0.00000010", "nan", "inf", "1_000", "0x1", "--1", "1.2.3", "+", ".", "a", "ab", "abc", "abcdefg", "abcdefgh",
	"abcdefghi", "abcdefghijklmnop", "abcdefghijklmnoq", "abcdefghijklmnopq", "abcdefghijklmnopqr", "ab\x00", "ab\x00\x00\x00\x00\x00\x00\x00",
	"DE", "DEU", "de", "it's", `say "x"`, "\xff\xfe", "é", "日本", "line\nfeed", "\r", "2024-05-01", "2024-05-02",
	"2024-05-01T00:00", "2024-05-01 00:00:00", "2024-05-01T02:00+02:00", "2024-05-01T00:00:00.5Z", "2024-04-30T24:00",
	"2024-04-30 23:30-00:30", "2024-05-01 ", "2024-05-01T00:00+01", "true", "False",
}

var expressions = []string{`^a`, `b+c`, `[0-9]{2}`, `, *([^, ]+)`, `é`, `(a|b)c`, `^$`, `'`, `e.d`, `\.`, `(?i)DE`, ``}

// random writes a random filter.
func random(r *rand.Rand, depth int) string {
	if depth > 0 && r.IntN(3) > 0 {
		switch r.IntN(5) {
		case 0, 1:
			return random(r, depth-1) + " and " + random(r, depth-1)
		case 2, 3:
			return random(r, depth-1) + " OR " + random(r, depth-1)
		case 4:
			return "not (" + random(r, depth-1) + ")"
		}
	}
	if r.IntN(6) == 0 {
		return "(" + randomColumn(r) + " ~ '" + strings.ReplaceAll(expressions[r.IntN(len(expressions))], "'", "''") + "')"
	}
	not := []string{"", "", " not"}[r.IntN(3)]
	switch r.IntN(15) {
	case 12:
		return randomColumn(r) + " is" + not + " distinct from " + randomRight(r)
	case 13:
		return "upper(" + randomColumn(r) + ")" + not + " in (b, " + randomConstant(r) + ")"
	case 14:
		return "case when " + random(r, 0) + " then a else b end = " + randomRight(r)
	case 0:
		return randomColumn(r) + " is" + not + " null"
	case 1:
		return randomColumn(r) + not + " between " + randomRight(r) + " and " + randomRight(r)
	case 2:
		list := randomConstant(r)
		for range r.IntN(5) {
			list += "," + randomConstant(r)
		}
		return randomColumn(r) + not + " IN (" + list + ")"
	case 3:
		return randomColumn(r) + not + " like '" + []string{"a%", "%b%", "_", "ab_%d", "%", "", "abcdefgh", `\\%`, "é%"}[r.IntN(9)] + "'"
	}
	op := []string{"=", "==", "!=", "<>", "<", "<=", ">", ">="}[r.IntN(8)]
	return randomColumn(r) + op + randomRight(r)
}

func randomColumn(r *rand.Rand) string {
	c := []string{"a", "B[:3]", "b", "$3", "4", "`odd name`", "`and`", "x.y", "é", "`7`", "$8[1:]", "a[2:4]"}[r.IntN(12)]
	return strings.ToLower(c) + strings.Repeat(" ", r.IntN(2))
}

func randomRight(r *rand.Rand) string {
	switch r.IntN(4) {
	case 0:
		return []string{" $1", " b", " `odd name`", "city[1:]"}[r.IntN(4)]
	case 1:
		return `"` + strings.ReplaceAll(values[r.IntN(len(values))], `"`, `""`) + `"`
	}
	return randomNumber(r)
}

func randomConstant(r *rand.Rand) string {
	if r.IntN(2) == 0 {
		return randomNumber(r)
	}
	return `"` + strings.ReplaceAll(values[r.IntN(len(values))], `"`, `""`) + `"`
}

func randomNumber(r *rand.Rand) string {
	for {
		v := strings.TrimSpace(values[r.IntN(len(values))])
		if _, k := decimal.Parse([]byte(v)); k == decimal.Plain || k == decimal.Irregular {
			return " " + v
		}
	}
}

// TestSelect holds random filters to their definition over random batches, one worker going
// from batch to batch.
func TestSelect(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kinds := []func() string{
		func() string { return values[r.IntN(len(values))] },
		func() string { return fmt.Sprint(r.IntN(30) - 10) },
		func() string { return fmt.Sprintf("%.*f", r.IntN(9), r.Float64()*4) },
		func() string { return "abcdefghijklmnopqr"[:r.IntN(19)] },
	}
	kept, asked := 0, 0
	for range 1500 {
		text := random(r, 3)
		var more derived
		f, err := Parse(text, more.scope())
		if err != nil {
			t.Fatal(err)
		}
		reference := parsed(t, text)
		w := f.Worker()
		w.Mark = mark
		for range 4 {
			rows := []int{0, 1, 7, 60}[r.IntN(4)]
			if r.IntN(100) == 0 {
				rows = records.Max
			}
			field := kinds[r.IntN(len(kinds))]
			table := newTable(r, rows, field)
			more.fill(table)
			var sel, want records.Selection
			for i := range rows {
				if r.IntN(4) > 0 {
					sel = append(sel, uint16(i))
					if holds, known := reference.Value(func(c int) []byte { return table.fields[i][c] }).Truth(); holds && known {
						want = append(want, uint16(i))
					}
				}
			}
			asked += len(sel)
			kept += len(want)
			got := w.Select(table.text, table.column, slices.Clone(sel))
			if !slices.Equal(got, want) {
				for _, i := range sel {
					if slices.Contains(got, i) != slices.Contains(want, i) {
						t.Fatalf("%s: record %d of %d, %q: want %v", text, i, rows, table.fields[i], slices.Contains(want, i))
					}
				}
				t.Fatalf("%s: got %v, want %v", text, got, want)
			}
		}
	}
	if kept < asked/5 || kept > asked*4/5 {
		t.Errorf("%d of %d records fit: the test does not test much", kept, asked)
	}
}

// Every pair of value and literal, under every operator, by meaning known without decimal.
func TestRelations(t *testing.T) {
	sorted := []string{
		"-123456789012345678901234567890", "-4611686018427387905", "-1.5", "-1.4999999", "0", "0.0000001", "0.1", "1", "1.000001",
		"4611686018427387.903999", "4611686018427387.904", "4611686018427387903", "4611686018427387904", "9223372036854775808", "1e300",
	}
	for i, literal := range sorted {
		for rel, sign := range expr.Signs {
			f, err := Parse("a "+sign+" "+literal, resolve)
			if err != nil {
				t.Fatal(err)
			}
			w := f.Worker()
			for range 2 { // the second time at another scale
				table := newTable(rand.New(rand.NewPCG(1, 2)), 0, nil)
				var sel, want records.Selection
				for j, v := range sorted {
					table.columns[0] = append(table.columns[0], records.Span{Off: uint32(len(table.text)), Len: uint32(len(v))})
					table.text = append(table.text, v+","...)
					sel = append(sel, uint16(j))
					if expr.Relation(rel).Holds(j - i) {
						want = append(want, uint16(j))
					}
				}
				table.text = append(table.text, make([]byte, records.SlackBytes)...)
				if got := w.Select(table.text, table.column, sel); !slices.Equal(got, want) {
					t.Errorf("a %s %s: got %v, want %v of %q", sign, literal, got, want, sorted)
				}
			}
		}
	}
}

func TestUnknown(t *testing.T) {
	for _, field := range []string{"", " ", "x", "nan", "1x", "1e999"} {
		for _, sign := range expr.Signs {
			for condition, want := range map[string]bool{"a %s 1": false, "not a %s 1": false, "not not a %s 1": false,
				"a %s 1 or not a %[1]s 1": false, "a %s 1 or not a is null": true} {
				if field == "" && strings.Contains(condition, "null") {
					continue // it may be null or not
				}
				f, err := Parse(fmt.Sprintf(condition, sign), resolve)
				if err != nil {
					t.Fatal(err)
				}
				table := newTable(rand.New(rand.NewPCG(1, 2)), 1, func() string { return field })
				if got := f.Worker().Select(table.text, table.column, records.Selection{0}); (len(got) == 1) != want {
					t.Errorf("%v, %q: got %v", f, field, got)
				}
			}
		}
	}
}

func TestColumns(t *testing.T) {
	f, err := Parse("city = 1 or b[1:] = 'x' and a = 'y' and not $3 ~ 'x'", resolve)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Columns(); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("got %v", got)
	}
}

func TestNoAllocation(t *testing.T) {
	f, err := Parse(`(a = "ab" or a > 1.5) and not b[:3] ~ ', *x' and city != "abcdefghijklmnopqr" or x.y < 3`, resolve)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	table := newTable(r, 500, func() string { return []string{"1", "2.5", "ab", ", x", "-7"}[r.IntN(5)] })
	w, sel := f.Worker(), make(records.Selection, 500)
	column := table.column
	if n := testing.AllocsPerRun(10, func() {
		for i := range sel {
			sel[i] = uint16(i)
		}
		w.Select(table.text, column, sel)
	}); n != 0 {
		t.Errorf("%v allocations a batch", n)
	}
}
