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
// malformed record in mode Fail (a *Malformed), a column that does not exist, and headers that
// differ. With an error, only Result.First is valid.
func Answer(files [][]byte, q Question) (Result, error) {
	result := Result{Bad: map[int]int64{}}
	records, err := q.readWithNulls(files, &result)
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
		case Select:
			rows = ask.choose(records, q.Columns(files))
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
	texts    bool // no value is a number, and some are texts
	times    bool // all of these are times
}

// survey examines the values that are used as numbers. It counts the fields that are not numbers,
// and returns the style of each value, by its text.
//
// min, max, first and last are about numbers if any value is a number; otherwise they are about times if
// all values that are not empty are times; otherwise about texts. Without another use of the numbers,
// texts and times are then not counted.
func (q Question) survey(records [][]string, bad map[int]int64) (styles map[string]style) {
	styles = map[string]style{}
	counted := map[string]bool{}
	for _, ask := range q.Asks {
		for _, a := range ask.Aggs {
			v := a.value()
			if !a.numeric() {
				continue
			}
			var s style
			notNumbers, numbers := int64(0), 0
			s.times = true
			for _, fields := range records {
				n, missing, ok := parse(v.Of(fields))
				if ok {
					numbers++
				} else if !missing {
					notNumbers++
					_, isTime := parseTime(v.Of(fields))
					s.times = s.times && isTime
				}
				s.decimals = max(s.decimals, n.decimals)
				s.float = s.float || n.isFloat
			}
			s.texts = numbers == 0 && notNumbers > 0
			s.times = s.times && s.texts
			styles[v.Text] = s
			if notNumbers > 0 && !counted[v.Text] && !(a.byValues() && s.texts) {
				counted[v.Text] = true
				bad[a.Column] += notNumbers // those of all expressions together are those of column 0
			}
		}
	}
	return styles
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
		return k.Of.Of(fields), true
	}
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
			v := a.value()
			if _, done := columns[v.Text]; !done {
				columns[v.Text] = gather(g.records, v, a)
			}
			g.cells = append(g.cells, a.over(columns[v.Text], styles[v.Text]))
		}
		if ask.Having != nil && !ask.Having.Fits(append(slices.Clone(g.keys), headings(nil, g.cells)...)) {
			continue
		}
		ordered = append(ordered, g)
	}
	slices.SortFunc(ordered, func(a, b *group) int {
		byKey := slices.Compare(a.keys, b.keys)
		if s := ask.Sort; s != nil {
			c := byKey
			switch n := s.Cell - len(ask.Keys); {
			case n >= 0 && (a.cells[n].missing() || b.cells[n].missing()):
				switch {
				case a.cells[n].missing() && b.cells[n].missing():
					return byKey
				case a.cells[n].missing():
					return 1
				}
				return -1
			case n >= 0:
				c = a.cells[n].compare(b.cells[n])
			case s.Cell >= 0:
				c = strings.Compare(a.keys[s.Cell], b.keys[s.Cell])
			}
			if s.Descending {
				c = -c
			}
			return cmp.Or(c, byKey)
		}
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
	text   string
	value  *big.Rat // for sorting; nil if there is no number
	isText bool
	at     time.Time // for sorting, if it is not zero
}

// String returns the cell as it is printed.
func (c cell) String() string { return c.text }

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
	texts    map[string]int // except the empty text, and how often each occurs
	inOrder  []string       // those that are not blank, in the order of the records
	ordered  []number
	sum      number
	notNulls int
}

func gather(records [][]string, v Value, a Agg) columnValues {
	f := columnValues{texts: map[string]int{}, sum: number{value: new(big.Rat)}}
	for _, fields := range records {
		text := v.Of(fields)
		if text != "" {
			f.texts[text]++
		}
		if text != "" || a.Of == nil && !isNull(fields, a.Column) {
			f.notNulls++
		}
		if strings.Trim(text, " \t") != "" {
			f.inOrder = append(f.inOrder, text)
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
	case a.Func == "counted":
		return whole(f.notNulls)
	case a.Func == "mode":
		return f.mode()
	case a.byValues() && s.texts:
		return a.ofTexts(f.inOrder, s.times)
	case len(f.ordered) == 0:
		return cell{}
	case a.Func == "first" || a.Func == "last":
		return a.firstNumber(f.inOrder).cell(s)
	case a.Func == "sum":
		return f.sum.cell(s)
	case a.Func == "mean":
		n := new(big.Rat).SetInt64(int64(len(f.ordered)))
		return number{value: n.Quo(f.sum.value, n), isFloat: true}.cell(s)
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
			if a.Func == "first" {
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
