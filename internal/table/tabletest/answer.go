package tabletest

import (
	"cmp"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Answer answers a question about a table that consists of some files. It returns an error for a
// malformed record in mode Fail (a *Malformed), a column that does not exist, and a header with
// none of the columns of the table. With an error, only Result.First is valid.
func Answer(files [][]byte, q Question) (Result, error) {
	result := Result{Bad: map[int]int64{}, NoNumbers: map[int64]bool{}}
	records, err := q.read(files, &result)
	if err != nil {
		return result, err
	}
	result.Records = int64(len(records))
	if q.Where != nil {
		records = slices.DeleteFunc(records, func(fields []string) bool { return !q.Where.Fits(fields) })
	}
	result.Fitting = int64(len(records))
	styles := q.survey(records, &result)
	for _, ask := range q.Asks {
		var rows [][]string
		switch ask.Kind {
		case Rows:
			rows = [][]string{{"rows"}, {strconv.Itoa(len(records))}}
		case Nth:
			rows = ask.nth(records)
		case Select:
			rows = ask.page(ask.choose(ask.sorted(records), q.Columns(files)))
		case Top:
			ask.Aggs, ask.ByValue = []Agg{{Func: "count"}}, true
			rows = ask.page(ask.group(records, styles))
		case Group:
			rows = ask.page(ask.group(records, styles))
		}
		result.Answers = append(result.Answers, rows)
	}
	return result, nil
}

// page returns the heading and the rows that are to be printed.
func (ask Ask) page(rows [][]string) [][]string {
	rows = slices.Delete(rows, 1, 1+min(len(rows)-1, ask.Skip))
	if ask.Limit > 0 || ask.Kind == Top {
		rows = rows[:min(len(rows), 1+ask.Limit)]
	}
	return rows
}

// choose answers Select.
func (ask Ask) choose(records [][]string, columns int) [][]string {
	if len(ask.Columns) == 0 {
		for c := range columns {
			ask.Columns = append(ask.Columns, c+1)
		}
	}
	var heading []string
	for _, c := range ask.Columns {
		heading = append(heading, strconv.Itoa(c))
	}
	rows := [][]string{heading}
	for _, fields := range records {
		var row []string
		for _, c := range ask.Columns {
			row = append(row, fields[c-1])
		}
		rows = append(rows, row)
	}
	return rows
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
	if k.Of != nil {
		return textOf(k.Of.Of(fields)), true
	}
	field := fields[k.Column-1]
	if find != nil && field == Null {
		return "", false
	}
	if find != nil {
		m := find.FindStringSubmatch(field)
		if m == nil {
			return "", false
		}
		return m[min(1, len(m)-1)], true
	}
	if k.Sliced && field != Null {
		to := k.To
		if to == AllBytes {
			to = len(field)
		}
		field = field[min(k.From, len(field)):max(min(k.From, len(field)), min(to, len(field)))]
	}
	return field, true
}

// group answers Group: a row for each group, sorted, without applying the limit.
func (ask Ask) group(records [][]string, styles map[string]style) [][]string {
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
	if len(ask.Keys) == 0 { // one group, even of no records
		groups["[]"] = &group{}
	}
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
		columns := map[string]columnValues{}
		for _, a := range ask.Aggs {
			if a.Func == "count" {
				g.cells = append(g.cells, whole(len(g.records)))
				continue
			}
			if a.ofRecords() {
				g.cells = append(g.cells, a.overRecords(g.records, styles))
				continue
			}
			v := a.value()
			if _, done := columns[v.Text]; !done {
				columns[v.Text] = gather(g.records, v)
			}
			g.cells = append(g.cells, a.over(columns[v.Text], styles[v.Text]))
		}
		if ask.Having != nil && !ask.Having.Fits(append(slices.Clone(g.keys), headings(nil, g.cells)...)) {
			continue
		}
		ordered = append(ordered, g)
	}
	slices.SortFunc(ordered, func(a, b *group) int {
		for _, s := range ask.Sort {
			if c := s.compareGroups(ask, a.keys, b.keys, a.cells, b.cells); c != 0 {
				return c
			}
		}
		if ask.ByValue && ask.Sort == nil {
			if c := b.cells[0].compare(a.cells[0]); c != 0 {
				return c
			}
		}
		return Sort{Cell: -1}.compareGroups(ask, a.keys, b.keys, nil, nil)
	})

	rows := [][]string{headings(headings(nil, ask.Keys), ask.Aggs)}
	for _, g := range ordered {
		rows = append(rows, append(g.keys, headings(nil, g.cells)...))
	}
	return rows
}

// cell is an aggregate's value.
type cell struct {
	text   string
	value  *big.Rat // for sorting; nil if there is no number
	isText bool
	at     time.Time // for sorting, if it is not zero
}

// String returns the cell as it is printed.
func (c cell) String() string {
	if c.missing() {
		return Null
	}
	return c.text
}

func (c cell) missing() bool { return c.value == nil && !c.isText }

// compare orders cells by value. A cell without a value comes first, so it comes last in
// descending order.
func (c cell) compare(o cell) int {
	switch {
	case c.missing() && o.missing():
		return 0
	case c.missing():
		return -1
	case o.missing():
		return 1
	case c.isText:
		return cmp.Or(c.at.Compare(o.at), strings.Compare(c.text, o.text))
	}
	return c.value.Cmp(o.value)
}

// columnValues holds the values of a column in a group, from which its aggregates are computed.
type columnValues struct {
	texts    map[string]int // and how often each occurs
	inOrder  []string       // in the order of the records
	ordered  []number
	sum      number
	notNulls int
}

func gather(records [][]string, v Value) columnValues {
	f := columnValues{texts: map[string]int{}, sum: number{value: new(big.Rat)}}
	for _, fields := range records {
		text := v.Of(fields)
		if text == Null {
			continue
		}
		f.texts[textOf(text)]++
		f.notNulls++
		f.inOrder = append(f.inOrder, text)
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
	case a.Func == "counted":
		return whole(f.notNulls)
	case a.Func == "mode":
		return f.mode()
	case a.Func == "bool_and" || a.Func == "bool_or":
		return a.junction(f)
	case s.texts && a.uses()[0].byValues:
		return a.ofTexts(f.inOrder, s.times)
	case len(f.ordered) == 0:
		return cell{}
	case a.Func == "first" || a.Func == "any_value" || a.Func == "last":
		return a.firstNumber(f.inOrder).cell(s)
	case a.Func == "sum":
		return f.sum.cell(s)
	case a.Func == "mean":
		n := new(big.Rat).SetInt64(int64(len(f.ordered)))
		return number{value: n.Quo(f.sum.value, n), isFloat: true}.cell(s)
	case a.Func == "hist":
		return a.histogram(f, s)
	case a.Func == "geomean":
		return f.geomean(s)
	case a.Func == "median":
		low, high := f.ordered[(len(f.ordered)-1)/2], f.ordered[len(f.ordered)/2]
		sum := new(big.Rat).Add(low.value, high.value)
		return number{value: sum.Quo(sum, big.NewRat(2, 1)), isFloat: true}.cell(s)
	case strings.HasPrefix(a.Func, "var") || strings.HasPrefix(a.Func, "stddev"):
		return a.spread(f, s)
	}
	return f.ordered[a.rank(f.ordered)].cell(s)
}

// mode returns the text that occurs most often, the least of several.
func (f columnValues) mode() (c cell) {
	most := 0
	for text, n := range f.texts {
		if n > most || n == most && text < c.text {
			most, c = n, cell{text: text, isText: true}
		}
	}
	return c
}

// ofTexts returns the first, the last, the least or the greatest of some texts.
func (a Agg) ofTexts(texts []string, times bool) (best cell) {
	for _, text := range texts {
		c := cell{text: text, isText: true}
		if times {
			c.at, _ = parseTime(text)
		}
		order := c.compare(best)
		if best.missing() || a.Func == "last" || a.Func == "min" && order < 0 || a.Func == "max" && order > 0 {
			best = c
		}
	}
	return best
}

func (a Agg) firstNumber(texts []string) (found number) {
	for _, text := range texts {
		if n, _, ok := parse(text); ok {
			found = n
			if a.Func != "last" {
				break
			}
		}
	}
	return found
}

// spread returns a variance or a standard deviation: the sum of the squared distances from the mean,
// divided by one less than the number of values, or by their number for a _pop.
func (a Agg) spread(f columnValues, s style) cell {
	n := int64(len(f.ordered))
	divisor := n - 1
	if strings.HasSuffix(a.Func, "_pop") {
		divisor = n
	}
	if divisor == 0 {
		return cell{}
	}
	mean := new(big.Rat).Quo(f.sum.value, new(big.Rat).SetInt64(n))
	sum := new(big.Rat)
	for _, v := range f.ordered {
		d := new(big.Rat).Sub(v.value, mean)
		sum.Add(sum, d.Mul(d, d))
	}
	sum.Quo(sum, new(big.Rat).SetInt64(divisor))
	if strings.HasPrefix(a.Func, "stddev") {
		root := new(big.Float).SetPrec(1000).SetRat(sum)
		sum, _ = root.Sqrt(root).Rat(nil)
	}
	return number{value: sum, isFloat: true}.cell(s)
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

// fraction returns the fraction of a quantile.
func (a Agg) fraction() *big.Rat {
	text, of := a.Func[1:], int64(100)
	if a.Func == "quantile" {
		text, of = a.Constant, 1
	}
	p, ok := new(big.Rat).SetString(text)
	if !ok || a.Func[0] != 'p' && of == 100 {
		panic("thresh: bug: no aggregate " + a.Func)
	}
	return p.Quo(p, big.NewRat(of, 1))
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
		p := a.fraction()
		p.Mul(p, big.NewRat(int64(len(ordered)), 1))
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
