package tabletest

import (
	"bytes"
	"fmt"
)

// Case is a table and a question about it.
type Case struct {
	Name     string
	Files    [][]byte
	Question Question
}

var (
	csv   = Dialect{Delim: ',', Quote: '"'}
	plain = Dialect{Delim: ','}
	pipes = Dialect{Delim: '|'}
	tabs  = Dialect{Delim: '\t', Quote: '"'}
	semi  = Dialect{Delim: ';', Quote: '\''}
)

// text is a small difficult file.
type text struct {
	name string
	text string
}

// Corpus returns difficult files with questions, always the same ones. Each small file comes in
// every mode for malformed records, with and without a header, and also with CRLF, with a
// byte-order mark, and with its last line feed removed or added.
func Corpus() (all []Case) {
	for _, of := range []struct {
		dialect Dialect
		texts   []text
	}{{csv, wellFormed}, {csv, malformed}, {csv, numbers}, {plain, wellFormed}, {plain, malformed}} {
		for _, t := range of.texts {
			all = append(all, variants(t, of.dialect)...)
		}
	}
	for _, t := range others {
		all = append(all, variants(t.text, t.dialect)...)
	}
	all = append(all, filtered()...)
	all = append(all, together()...)
	return append(all, large()...)
}

func variants(t text, d Dialect) (all []Case) {
	file := []byte(t.text)
	changed := []struct {
		name string
		file []byte
	}{
		{"", file},
		{" crlf", bytes.ReplaceAll(file, []byte("\n"), []byte("\r\n"))},
		{" bom", append([]byte("\xef\xbb\xbf"), file...)},
		{" end", append(bytes.Clone(file), '\n')},
	}
	if cut, ok := bytes.CutSuffix(file, []byte("\n")); ok {
		changed[3].file = cut
	}
	for i, c := range changed {
		for _, mode := range []Mode{Fail, Skip, Keep} {
			d.Header = i%2 == 1
			all = append(all, ask(t.name+c.name, d, mode, c.file))
			if i == 0 {
				d.Header = true
				all = append(all, ask(t.name+c.name, d, mode, c.file))
			}
		}
	}
	return all
}

// ask returns a case that asks everything about a table. The first and the last column are used
// in every role.
func ask(name string, d Dialect, mode Mode, files ...[]byte) Case {
	header := ""
	if d.Header {
		header = " header"
	}
	quote := "none"
	if d.Quote != 0 {
		quote = string(d.Quote)
	}
	return Case{
		Name:     fmt.Sprintf("%s, delimiter %q quote %s%s %v", name, d.Delim, quote, header, mode),
		Files:    files,
		Question: Question{Dialect: d, Malformed: mode, Asks: everything(max(d.Columns(files), 1))},
	}
}

func everything(last int) []Ask {
	return []Ask{
		{Kind: Rows},
		{Kind: Nth, Numbers: []int64{0, 2, 1, 1 << 40}, Columns: []int{last, 1}},
		{Kind: Group, Keys: []Key{{Column: 1}}, Aggs: every(last)},
		{
			Kind: Group, Keys: []Key{{Column: last, Sliced: true, To: 2}, {Column: 1, Sliced: true, From: 1, To: AllBytes}},
			Aggs: []Agg{{Func: "sum", Column: last}, {Func: "count"}, {Func: "max", Column: 1}}, ByValue: true, Limit: 3,
		},
		{Kind: Group, Keys: []Key{{Column: 1}, {Column: last}}, Aggs: everyPair(last, 1)},
		{Kind: Group, Aggs: everyPair(1, last)},
		{
			Kind: Group, Keys: []Key{{Column: 1, Regexp: `, *([^, ]+)`}},
			Aggs: []Agg{{Func: "count"}, {Func: "mean", Column: last}},
		},
		{Kind: Group, Keys: []Key{{Column: last, Regexp: `[0-9]`}}, Aggs: []Agg{{Func: "min", Column: last}}, ByValue: true},
		{Kind: Top, Keys: []Key{{Column: 1}}, Limit: 2},
		{Kind: Group, Keys: []Key{{Column: 1}}, Aggs: everyOther(last), Sort: []Sort{{Cell: -1, Descending: true}}},
	}
}

// every returns every aggregate of a column.
func every(column int) (all []Agg) {
	for _, f := range []string{"count", "sum", "min", "max", "mean", "distinct", "p0", "p50", "p99", "p99.9", "p100"} {
		all = append(all, Agg{Func: f, Column: column})
	}
	return all
}

// everyOther returns the aggregates of a column that every leaves out.
func everyOther(column int) (all []Agg) {
	for _, f := range []string{
		"counted", "median", "mode", "variance", "stddev", "var_pop", "stddev_pop", "first", "last",
	} {
		all = append(all, Agg{Func: f, Column: column})
	}
	for _, f := range []string{"any_value", "bool_and", "bool_or", "geomean"} {
		all = append(all, Agg{Func: f, Column: column})
	}
	all = append(all, Agg{Func: "quantile", Column: column, Constant: "0.25"},
		Agg{Func: "hist", Column: column, Constant: "3"}, Agg{Func: "string_agg", Column: column, Constant: "', '"})
	return append(all, everyPair(column, column)...)
}

// everyPair returns the aggregates of two columns.
func everyPair(column, with int) (all []Agg) {
	v := Column(with)
	for _, f := range []string{"distinct", "arg_min", "arg_max", "corr", "covar_pop", "covar_samp"} {
		all = append(all, Agg{Func: f, Column: column, With: &v})
	}
	return append(all, Agg{Func: "string_agg", Column: column, With: &v, Constant: "'|'"},
		Agg{Func: "string_agg", Column: column, With: &v, Descending: true})
}

// filtered returns cases with filters of one table: every kind of field with every operator.
func filtered() (all []Case) {
	file := []byte("DE,5,7\nFR,5.0,5\nde,,x\nDE,x,x\nDE, 10 ,9\n" +
		",1e1,10\n\"D\"\"E\",-3,-3.00\nDE,0.30000000000000000001,3e-1\n")
	conditions := []*Condition{
		Textual(Column(1), "=", "DE").And(Numeric(Column(2), ">", "5")),
		Textual(Column(1), "=", "DE").Or(Numeric(Column(2), ">", "5").Not()),
		Numeric(Column(2), "=", "5").Or(Numeric(Column(3), "!=", "-3").And(Textual(Column(1), "<", "FR"))).Not(),
		Matches(Column(1), "^D").And(Matches(Column(3), "[0-9]$").Not()),
	}
	conditions = append(conditions, Textual(Column(4), "=", "")) // a column that does not exist
	for _, operator := range []string{"=", "!=", "<", "<=", ">", ">="} {
		conditions = append(conditions,
			Textual(Column(1), operator, "DE"), Textual(Column(1), operator, `D"E`), Textual(Column(1), operator, ""),
			Numeric(Column(2), operator, "5"), Numeric(Column(2), operator, "10.00"), Numeric(Column(3), operator, "-3e0"),
			Numeric(Column(2), operator, "0.3"), Numeric(Column(2), operator, "5").Not(),
			Columnwise(Column(2), operator, Column(3)),
		)
	}
	for _, c := range conditions {
		one := ask("where "+c.Text, csv, Fail, file)
		one.Question.Where = c
		all = append(all, one)
	}
	return all
}

// together returns cases with tables of several files.
func together() (all []Case) {
	for _, files := range [][]string{
		{"a,b\n1,2\n", "a,b\n3,4\n"},
		{"a,b\n1,2", "a,b\n3,4"},
		{"a,b\n1,2", "a,c\n3,4"},
		{"a,b\n1,2", "a\n3\n"},
		{"a,b\r\n1,2", "\"a\",b\n3,4"},
		{"\xef\xbb\xbfa,b\n1,2\n", "\xef\xbb\xbfa,b\n3,4\n"},
		{"", "a,b\n3,4\n", "", "\n\n"},
		{"\n\n", "\r\n", "a\n\n3\n", "\n\na\n\n5"},
		{"a,b\n1,\"2", "a,b\n3,4\n"},
		{"a,b\n1,2\n", "a,b\n3,\"4"},
		{"a,b\n1,2\n3", "a,b\n3\n"},
		{"a,b\n", "a,b\n"},
		{"1,2\n", "1,2\r\n", "1,2"},
	} {
		var bytes [][]byte
		for _, f := range files {
			bytes = append(bytes, []byte(f))
		}
		for _, mode := range []Mode{Fail, Skip, Keep} {
			for _, d := range []Dialect{csv, {Delim: ',', Quote: '"', Header: true}, plain} {
				all = append(all, ask(fmt.Sprintf("files %q", files), d, mode, bytes...))
			}
		}
	}
	return all
}

// All returns all aggregates of a column, and of two.
func All(column, with int) []Agg {
	return append(append(every(column), everyOther(column)...), everyPair(column, with)...)
}
