package tabletest

import (
	"cmp"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
)

// Answer answers a question about a table that consists of some files. It returns an error for a
// malformed record in mode Fail (a *Malformed), a column that does not exist, and headers that
// differ. With an error, only Result.First is valid.
func Answer(files [][]byte, q Question) (Result, error) {
	result := Result{Bad: map[int]int64{}}
	records, err := q.read(files, &result)
	if err != nil {
		return result, err
	}
	result.Records = int64(len(records))
	if q.Where != nil {
		records = slices.DeleteFunc(records, func(fields []string) bool { return !q.Where.Fits(fields) })
	}
	styles := q.survey(records, result.Bad)
	for _, ask := range q.Asks {
		var rows [][]string
		switch ask.Kind {
		case Rows:
			rows = [][]string{{"rows"}, {strconv.Itoa(len(records))}}
		case Nth:
			rows = ask.nth(records)
		case Top:
			ask.Aggs, ask.ByValue = []Agg{{Func: "count"}}, true
			rows = ask.group(records, styles)
			rows = rows[:min(len(rows), 1+ask.Limit)]
		case Group:
			rows = ask.group(records, styles)
			if ask.Limit > 0 {
				rows = rows[:min(len(rows), 1+ask.Limit)]
			}
		}
		result.Answers = append(result.Answers, rows)
	}
	return result, nil
}

// style says how the numbers of a column are printed: with the number of decimals of its most
// precise exact decimal; or all as floats, if any number has an exponent.
type style struct {
	decimals int
	float    bool
}

// survey examines the columns that are used as numbers. It counts the fields that are not numbers,
// and returns the style of each column.
func (q Question) survey(records [][]string, bad map[int]int64) (styles map[int]style) {
	styles = map[int]style{}
	for _, ask := range q.Asks {
		for _, a := range ask.Aggs {
			if _, done := styles[a.Column]; done || !a.numeric() {
				continue
			}
			var s style
			for _, fields := range records {
				n, missing, ok := parse(fields[a.Column-1])
				if !ok && !missing {
					bad[a.Column]++
				}
				s.decimals = max(s.decimals, n.decimals)
				s.float = s.float || n.isFloat
			}
			styles[a.Column] = s
		}
	}
	return styles
}

func (ask Ask) nth(records [][]string) [][]string {
	heading := []string{"record"}
	for _, c := range ask.Columns {
		heading = append(heading, strconv.Itoa(c))
	}
	rows := [][]string{heading}
	for _, n := range ask.Numbers {
		if n >= int64(len(records)) {
			continue
		}
		row := []string{strconv.FormatInt(n, 10)}
		for _, c := range ask.Columns {
			row = append(row, records[n][c-1])
		}
		rows = append(rows, row)
	}
	return rows
}

// of returns the key of a record; ok is false if it has none. A capture that did not take part in
// the match is an empty key.
func (k Key) of(fields []string, find *regexp.Regexp) (key string, ok bool) {
	field := fields[k.Column-1]
	if find != nil {
		m := find.FindStringSubmatch(field)
		if m == nil {
			return "", false
		}
		return m[min(1, len(m)-1)], true
	}
	if k.Sliced {
		to := k.To
		if to == AllBytes {
			to = len(field)
		}
		field = field[min(k.From, len(field)):max(min(k.From, len(field)), min(to, len(field)))]
	}
	return field, true
}

// group answers Group: a row for each group, sorted, without applying the limit.
func (ask Ask) group(records [][]string, styles map[int]style) [][]string {
	type group struct {
		keys    []string
		records [][]string
		cells   []cell
	}
	var finders []*regexp.Regexp
	for _, k := range ask.Keys {
		var find *regexp.Regexp
		if k.Regexp != "" {
			find = regexp.MustCompile(k.Regexp)
		}
		finders = append(finders, find)
	}
	groups := map[string]*group{}
	for _, fields := range records {
		var keys []string
		for i, k := range ask.Keys {
			if key, ok := k.of(fields, finders[i]); ok {
				keys = append(keys, key)
			}
		}
		if len(keys) < len(ask.Keys) {
			continue
		}
		id := fmt.Sprintf("%q", keys)
		if groups[id] == nil {
			groups[id] = &group{keys: keys}
		}
		groups[id].records = append(groups[id].records, fields)
	}

	var ordered []*group
	for _, g := range groups {
		columns := map[int]columnValues{}
		for _, a := range ask.Aggs {
			if a.Func == "count" {
				g.cells = append(g.cells, whole(len(g.records)))
				continue
			}
			if _, done := columns[a.Column]; !done {
				columns[a.Column] = gather(g.records, a.Column)
			}
			g.cells = append(g.cells, a.over(columns[a.Column], styles[a.Column]))
		}
		ordered = append(ordered, g)
	}
	slices.SortFunc(ordered, func(a, b *group) int {
		byKey := slices.Compare(a.keys, b.keys)
		if ask.ByValue {
			return cmp.Or(b.cells[0].compare(a.cells[0]), byKey)
		}
		return byKey
	})

	rows := [][]string{headings(headings(nil, ask.Keys), ask.Aggs)}
	for _, g := range ordered {
		rows = append(rows, append(g.keys, headings(nil, g.cells)...))
	}
	return rows
}

// cell is an aggregate's value.
type cell struct {
	text  string
	value *big.Rat // for sorting; nil if there is no value
}

// String returns the cell as it is printed.
func (c cell) String() string { return c.text }

// compare orders cells by value. A cell without a value comes first, so it comes last in
// descending order.
func (c cell) compare(o cell) int {
	switch {
	case c.value == nil && o.value == nil:
		return 0
	case c.value == nil:
		return -1
	case o.value == nil:
		return 1
	}
	return c.value.Cmp(o.value)
}

// columnValues holds the values of a column in a group, from which its aggregates are computed.
type columnValues struct {
	texts   map[string]bool // except the empty text
	ordered []number
	sum     number
}

func gather(records [][]string, column int) columnValues {
	f := columnValues{texts: map[string]bool{}, sum: number{value: new(big.Rat)}}
	for _, fields := range records {
		text := fields[column-1]
		if text != "" {
			f.texts[text] = true
		}
		if n, _, ok := parse(text); ok {
			f.ordered = append(f.ordered, n)
			f.sum.value.Add(f.sum.value, n.value)
			f.sum.isFloat = f.sum.isFloat || n.isFloat
		}
	}
	slices.SortStableFunc(f.ordered, number.before)
	return f
}

// over returns an aggregate other than count. Without numbers, the sum, minimum, maximum, mean and
// quantiles are empty.
func (a Agg) over(f columnValues, s style) cell {
	switch {
	case a.Func == "distinct":
		return whole(len(f.texts))
	case len(f.ordered) == 0:
		return cell{}
	case a.Func == "sum":
		return f.sum.cell(s)
	case a.Func == "mean":
		n := new(big.Rat).SetInt64(int64(len(f.ordered)))
		return number{value: n.Quo(f.sum.value, n), isFloat: true}.cell(s)
	}
	return f.ordered[a.rank(f.ordered)].cell(s)
}

func whole(n int) cell {
	return cell{text: strconv.Itoa(n), value: new(big.Rat).SetInt64(int64(n))}
}

// cell returns the cell of a number. It rounds a float to float64 first.
func (n number) cell(s style) cell {
	value := n.value
	n.isFloat = n.isFloat || s.float
	if f, _ := value.Float64(); n.isFloat && new(big.Rat).SetFloat64(f) != nil {
		value = new(big.Rat).SetFloat64(f)
	}
	return cell{text: n.text(s.decimals), value: value}
}

// rank returns the index of the ordered number that is the aggregate: the first for min, the last
// for max, and number ceil(p*n), counted from 1, for a quantile p. Of equal numbers it takes
// the first, which is a decimal if there is one.
func (a Agg) rank(ordered []number) int {
	at := 0
	switch a.Func {
	case "min":
	case "max":
		at = len(ordered) - 1
	default:
		percent, ok := new(big.Rat).SetString(a.Func[1:])
		if !ok || a.Func[0] != 'p' {
			panic("thresh: bug: no aggregate " + a.Func)
		}
		p := percent.Mul(percent, big.NewRat(int64(len(ordered)), 100))
		whole, rest := new(big.Int).QuoRem(p.Num(), p.Denom(), new(big.Int))
		if at = int(whole.Int64()); rest.Sign() == 0 {
			at = max(at-1, 0)
		}
	}
	for at > 0 && ordered[at-1].value.Cmp(ordered[at].value) == 0 {
		at--
	}
	return at
}
