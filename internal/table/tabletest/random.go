package tabletest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Random returns a small difficult table with questions, the same for the same seed. A third of
// the tables are well-formed, a third are well-formed except for some bytes, and a third are
// random bytes.
func Random(seed uint64) Case {
	r := random{rand.New(rand.NewPCG(seed, 4))}
	d := Dialect{Delim: pick(r, ",,,;|\t x"), Header: r.IntN(3) == 0}
	if r.IntN(4) > 0 {
		d.Quote = pick(r, "\"\"\"'")
	}
	var files [][]byte
	columns := 1 + r.IntN(4)
	header := r.records(d, columns, 1)
	for range 1 + r.IntN(3)/2 {
		var file []byte
		if r.IntN(10) == 0 {
			file = append(file, "\xef\xbb\xbf"...)
		}
		switch seed % 3 {
		case 0:
			file = append(append(file, header...), r.records(d, columns, r.IntN(60))...)
		case 1:
			file = r.spoil(d, append(append(file, header...), r.records(d, columns, r.IntN(60))...))
		default:
			for range r.IntN(300) {
				file = append(file, r.piece(d)...)
			}
		}
		if r.IntN(3) == 0 {
			file = bytes.TrimSuffix(file, []byte("\n"))
		}
		files = append(files, file)
	}
	d.Nulls, d.Skip = r.nulls(seed)
	columns = max(1, d.Columns(files))
	q := Question{Dialect: d, Malformed: Mode(r.IntN(3))}
	if r.IntN(2) == 0 {
		q.Where = r.condition(columns, 3)
	}
	for range 1 + r.IntN(4) {
		q.Asks = append(q.Asks, r.ask(columns))
	}
	return Case{Name: fmt.Sprintf("random %d", seed), Files: files, Question: q}
}

type random struct{ *rand.Rand }

func pick[S ~string](r random, from S) byte { return from[r.IntN(len(from))] }

// nulls returns texts for null, and how many lines to leave out; mostly none.
func (random) nulls(seed uint64) (nulls []string, skip int) {
	r := random{rand.New(rand.NewPCG(seed, 5))} // of its own: the tables stay as they are
	if r.IntN(3) == 0 {
		for range 1 + r.IntN(2) {
			nulls = append(nulls, []string{"a", "b", "0", "1", "12", "abcdefghijklmnop", " ", "x"}[r.IntN(8)])
		}
	}
	if r.IntN(4) == 0 {
		skip = 1 + r.IntN(3)
	}
	return nulls, skip
}

// nasty lists parts of fields, besides delimiters, quotes and line ends.
var nasty = []string{
	"a", "b", "ab", "0", "1", "12", "7", ".", "-", "+", "e", "E5", " ", "\t", "\x00", "\xff", "\xc3", "é", "\xef\xbb\xbf",
	", ", "'", "x", "abcdefgh", "\r", "100000000", "0.5", "_", "-1.25",
}

// piece returns some bytes of any kind.
func (r random) piece(d Dialect) string {
	switch r.IntN(10) {
	case 0, 1:
		return string([]byte{d.Delim})
	case 2:
		return "\n"
	case 3:
		return "\r\n"
	case 4:
		return `"`
	case 5:
		return "\n" + repeat("\n", r.IntN(3))
	case 6:
		if d.Quote != 0 {
			return string([]byte{d.Delim, d.Quote})
		}
	}
	return nasty[r.IntN(len(nasty))]
}

// records returns well-formed records; some lines between them are empty.
func (r random) records(d Dialect, columns, n int) []byte {
	var file bytes.Buffer
	for range n {
		for c := range columns {
			if c > 0 {
				file.WriteByte(d.Delim)
			}
			file.WriteString(r.field(d))
		}
		file.WriteString([]string{"\n", "\n", "\r\n", "\n\n"}[r.IntN(4)])
	}
	return file.Bytes()
}

// field returns a well-formed field: one of a few texts, a number, or any text.
func (r random) field(d Dialect) string {
	var value string
	switch r.IntN(4) {
	case 0:
		value = []string{"", "a", "b", "abc", "abcdefghijklmnop", "abcdefghijklmnopq", "true", "False"}[r.IntN(8)]
	case 1, 2:
		value = r.number()
	default:
		for range r.IntN(6) {
			value += r.piece(d)
		}
	}
	if d.Quote == 0 {
		value = strings.ReplaceAll(value, "\n", "")
		return strings.ReplaceAll(value, string([]byte{d.Delim}), "")
	}
	quote := string([]byte{d.Quote})
	if r.IntN(4) == 0 || strings.ContainsAny(value, quote+"\n\r"+string([]byte{d.Delim})) {
		return quote + strings.ReplaceAll(value, quote, quote+quote) + quote
	}
	return value
}

// number returns a number in some notation, usually a short one.
func (r random) number() string {
	sign := []string{"", "", "-", "+"}[r.IntN(4)]
	switch r.IntN(14) {
	case 12, 13:
		return r.time()
	case 0:
		return fmt.Sprintf("%s%d%09d%09d%09d.%d", sign, r.IntN(9), r.IntN(1e9), r.IntN(1e9), r.IntN(1e9), r.IntN(1e3))
	case 1:
		return fmt.Sprintf("%s%d.%de%d", sign, r.IntN(10), r.IntN(1e4), r.IntN(40)-20)
	case 2:
		return fmt.Sprintf("%s.%0*d", sign, 1+r.IntN(20), r.IntN(10))
	case 3:
		return fmt.Sprintf(" %s%d ", sign, r.IntN(10))
	case 4, 5, 6:
		return fmt.Sprintf("%s%d.%02d", sign, r.IntN(1000), r.IntN(100))
	case 7:
		return fmt.Sprintf("%s%d", sign, r.Uint64())
	}
	return fmt.Sprintf("%s%d", sign, r.IntN(30))
}

// time returns a time in some notation.
func (r random) time() string {
	day := fmt.Sprintf("20%02d-%02d-%02d", r.IntN(3)+23, 1+r.IntN(12), 1+r.IntN(29))
	if r.IntN(2) == 0 {
		return day
	}
	clock := fmt.Sprintf("%c%02d:%02d", "T "[r.IntN(2)], r.IntN(24), r.IntN(60))
	if r.IntN(2) == 0 {
		clock += fmt.Sprintf(":%02d", r.IntN(60)) + []string{"", ".5", ".250", ".000001"}[r.IntN(4)]
	}
	return day + clock + []string{"", "", "Z", "+01:00", "-0730", "+02"}[r.IntN(6)]
}

// spoil changes some bytes of a file.
func (r random) spoil(d Dialect, file []byte) []byte {
	for range 1 + r.IntN(3) {
		at := r.IntN(len(file) + 1)
		cut := min(len(file), at+r.IntN(2))
		file = append(append(bytes.Clone(file[:at]), r.piece(d)...), file[cut:]...)
	}
	return file
}

func (r random) column(columns int) int { return 1 + r.IntN(columns) }

// value returns a field, or something computed from fields.
func (r random) value(columns, depth int) Value {
	v := Column(r.column(columns))
	if depth == 0 {
		return v
	}
	switch r.IntN(9) {
	case 0, 1, 2:
		right := r.value(columns, depth-1)
		if r.IntN(2) == 0 {
			right = Literal([]string{"0", "2", "-1.5", "0.30", "3", "1e2"}[r.IntN(6)])
		}
		return r.value(columns, depth-1).Operation([]string{"+", "-", "*", "/"}[r.IntN(4)], right)
	case 3, 4:
		functions := []string{"abs", "upper", "lower", "length", "date", "year", "quarter", "month", "day", "weekday", "hour",
			"minute", "second"}
		return r.value(columns, depth-1).Call(functions[r.IntN(len(functions))])
	case 5:
		from := r.IntN(3)
		return Part(r.column(columns), from, from+r.IntN(9))
	case 6:
		patterns := []string{"[0-9]+", "a(b?)", "([0-9]*)([.][0-9]+)?", "(a)|b", "", "x*", "^.([^ ]*)", "'(.)", "1.*$"}
		pattern := patterns[r.IntN(len(patterns))]
		return Match(r.column(columns), pattern, r.IntN(strings.Count(pattern, "(")+1))
	}
	return v
}

func (r random) condition(columns, depth int) *Condition {
	operator := []string{"=", "!=", "<", "<=", ">", ">="}[r.IntN(6)]
	v := r.value(columns, r.IntN(3))
	number := func() string { return []string{"0", "10", "-1.25", "0.5", "1e3", "12345678901234567890"}[r.IntN(6)] }
	text := func() string { return []string{"", "a", "ab", "1", "abcdefghijklmnop"}[r.IntN(5)] }
	switch n := r.IntN(12); {
	case depth > 0 && n == 0:
		return r.condition(columns, depth-1).And(r.condition(columns, depth-1))
	case depth > 0 && n == 1:
		return r.condition(columns, depth-1).Or(r.condition(columns, depth-1))
	case depth > 0 && n == 2:
		return r.condition(columns, depth-1).Not()
	case n == 3:
		return Columnwise(v, operator, r.value(columns, r.IntN(3)))
	case n == 4:
		return Matches(v, []string{"a", "^[ab]", "[0-9]+$", "^$", "b|1", `\.`}[r.IntN(6)])
	case n == 5:
		return Textual(v, operator, text())
	case n == 6:
		return Among(v, []string{number(), number()}, []string{text(), text()})
	case n == 7:
		return Between(v, number(), number())
	case n == 8:
		return Like(v, []string{"a%", "%b%", "_", "%c_", "", "abc", "%"}[r.IntN(7)], false)
	case n == 9:
		return IsNull(r.column(columns))
	}
	return Numeric(v, operator, number())
}

func (r random) key(columns int) Key {
	k := Key{Column: r.column(columns)}
	switch r.IntN(7) {
	case 0, 1:
		k.Sliced, k.From, k.To = true, r.IntN(3), AllBytes
		if r.IntN(3) > 0 {
			k.To = k.From + r.IntN(10)
		}
	case 2:
		k.Regexp = []string{`, *([^, ]+)`, `[0-9]+`, `^(.)`, `([a-z]*)$`, `\.([0-9])`, `(a|ab)(c|.*)`}[r.IntN(6)]
	case 3:
		if v := r.value(columns, 2); strings.Contains(v.Text, "(") {
			k.Of = &v
		}
	}
	return k
}

// agg returns an aggregate of a column, or of something computed.
func (r random) agg(columns int) Agg {
	all := append(every(r.column(columns)), everyOther(r.column(columns))...)
	a := all[r.IntN(len(all))]
	if a.With != nil {
		with := r.value(columns, r.IntN(2))
		a.With = &with
	}
	if v := r.value(columns, 2); r.IntN(4) == 0 && a.Func != "count" && strings.Contains(v.Text, "(") {
		a.Column, a.Of = 0, &v
	}
	return a
}

func (r random) ask(columns int) Ask {
	a := Ask{Kind: Kind(r.IntN(4)), ByValue: r.IntN(2) == 0, Limit: r.IntN(4), Skip: max(0, r.IntN(12)-8)}
	switch a.Kind {
	case Nth:
		for range 1 + r.IntN(4) {
			a.Numbers = append(a.Numbers, int64(r.IntN(50)))
			a.Columns = append(a.Columns, r.column(columns))
		}
	case Top:
		a.Keys, a.Limit = []Key{r.key(columns)}, 1+r.IntN(4)
	case Group:
		for range 1 + r.IntN(2) {
			a.Keys = append(a.Keys, r.key(columns))
		}
		for range 1 + r.IntN(4) {
			a.Aggs = append(a.Aggs, r.agg(columns))
		}
		for range r.IntN(3) * r.IntN(2) {
			a.Sort = append(a.Sort, Sort{Cell: r.IntN(1+len(a.Keys)+len(a.Aggs)) - 1, Descending: r.IntN(2) == 0,
				NullsFirst: r.IntN(3) == 0})
		}
		if r.IntN(4) == 0 {
			a.Having = r.having(a)
		}
	}
	return a
}

// having compares an aggregate of the answer with a number.
func (r random) having(a Ask) *Condition {
	i := r.IntN(len(a.Aggs))
	cell := Column(len(a.Keys) + i + 1)
	cell.Text = a.Aggs[i].String()
	operator := []string{"=", "!=", "<", "<=", ">", ">="}[r.IntN(6)]
	c := Numeric(cell, operator, []string{"0", "1", "2.5", "-100"}[r.IntN(4)])
	if r.IntN(2) == 0 {
		c = c.Not()
	}
	return c
}
