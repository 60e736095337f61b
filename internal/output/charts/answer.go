package charts

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// RowsMax is how many rows of an answer are drawn; more would not be seen.
const RowsMax = 10_000

// seriesMax is how many lines a chart has: more cannot be told apart.
const seriesMax = 8

// binsMax is how many bins a histogram has, the empty ones included.
const binsMax = 1000

// textMax is how long numbers are that are drawn as they are written; others are rounded.
const textMax = 14

// Column is a column of an answer.
type Column struct {
	Name  string
	Cells []Cell
	Typed bool // its values are numbers by their type
}

// Cell is a value of an answer.
type Cell struct {
	Null   bool
	Text   string
	Number float64 // of a column that is typed
}

// label returns the text of a key. Null, and an empty text, have one that can be seen.
func (c *Cell) label() string {
	switch {
	case c.Text != "":
		return c.Text
	case c.Null:
		return "null"
	}
	return `""`
}

// kind is what the values of a column look like: all of them, but for null.
type kind uint8

const (
	text kind = iota
	number
	moment
)

// shape is what the columns of an answer are to a chart.
type shape struct {
	columns       []Column
	rows          int
	kinds         []kind
	at            [][]float64 // numbers, and seconds of moments
	keys, figures []int       // columns
}

// rule says which answers a form suits. The first one that fits is taken.
type rule struct {
	form  Form
	keys  func(s *shape) bool
	build func(s *shape, c *Chart) error
}

var rules = []rule{
	{Lines, func(s *shape) bool { return s.are(moment) }, (*shape).overTime},
	{Lines, func(s *shape) bool { return s.are(moment, text) && len(s.figures) == 1 }, (*shape).byName},
	{Histogram, func(s *shape) bool { return s.are(number) && s.binned() > 0 }, (*shape).bins},
	{Bars, func(s *shape) bool { return len(s.keys) == 1 || len(s.keys) == 2 }, (*shape).bars},
}

// Of returns the chart that suits an answer. It is an error that says what can be drawn if none does. more is how many
// rows there are besides, of which only bars may have some.
func Of(title string, columns []Column, more int) (*Chart, error) {
	s := newShape(columns)
	const can = "a chart is bars of a key and numbers, lines of numbers over times, or a histogram of bins and counts"
	switch {
	case len(columns) == 1:
		return nil, fmt.Errorf("the answer has only the column %s: %s, as in select floor(x / 10) * 10 as bin, "+
			"count(*) ... group by 1", columns[0].Name, can)
	case len(s.figures) == 0 && s.rows > 0:
		return nil, errors.New("the answer has no column of numbers beside its keys: " + can)
	}
	for _, r := range rules {
		if !r.keys(s) {
			continue
		}
		if r.form != Bars && more > 0 {
			return nil, fmt.Errorf("the answer has more than %d rows, and no chart shows as many: use longer times or "+
				"wider bins, or a limit", RowsMax)
		}
		c := &Chart{Title: title, Form: r.form, More: more, Key: s.names(s.keys)}
		return c, r.build(s, c)
	}
	if len(s.keys) > 0 {
		return nil, fmt.Errorf("the answer has %d columns of keys, %s, and a chart one or two: select fewer",
			len(s.keys), s.names(s.keys))
	}
	return nil, errors.New("the answer has no column of keys beside its numbers: " + can)
}

func newShape(columns []Column) *shape {
	s := &shape{columns: columns, rows: len(columns[0].Cells)}
	for _, c := range columns {
		k, at := kindOf(c)
		s.kinds, s.at = append(s.kinds, k), append(s.at, at)
	}
	for i, k := range s.kinds {
		if k != number {
			s.keys = append(s.keys, i)
		}
	}
	for i, k := range s.kinds { // numbers are keys where rows would be alike without them
		if k == number && !columns[i].Typed && (len(s.keys) == 0 || !s.different()) {
			s.keys = append(s.keys, i)
		}
	}
	slices.SortStableFunc(s.keys, func(a, b int) int { // a moment comes first
		return int(s.kinds[b]/moment) - int(s.kinds[a]/moment)
	})
	for i, k := range s.kinds {
		if k == number && !slices.Contains(s.keys, i) {
			s.figures = append(s.figures, i)
		}
	}
	return s
}

// kindOf returns what the values of a column are, and the numbers.
func kindOf(c Column) (kind, []float64) {
	at := make([]float64, len(c.Cells))
	numbers, moments, some := true, true, c.Typed
	for i, cell := range c.Cells {
		switch at[i] = none; {
		case cell.Null:
		case c.Typed:
			at[i] = cell.Number
		default:
			some = true
			if moments {
				t, ok := value.ParseTime([]byte(cell.Text))
				if moments = ok; ok {
					at[i] = float64(t.Standard().UnixMicro()) / 1e6
				}
			}
			if numbers {
				n, is := decimal.Parse([]byte(cell.Text))
				if numbers = is == decimal.Plain || is == decimal.Irregular; numbers {
					at[i] = n.Float64()
				}
			}
		}
	}
	switch {
	case some && numbers:
		return number, at
	case some && moments:
		return moment, at
	}
	return text, at
}

// different reports whether no two rows have the same keys.
func (s *shape) different() bool {
	seen := make(map[string]bool, s.rows)
	for row := range s.rows {
		label := s.label(row, "\x00")
		if seen[label] {
			return false
		}
		seen[label] = true
	}
	return true
}

// are reports whether the keys are of these kinds, where a number will do for a text.
func (s *shape) are(kinds ...kind) bool {
	return slices.EqualFunc(s.keys, kinds, func(column int, k kind) bool {
		is := s.kinds[column]
		return is == k || k == text && is == number
	})
}

func (s *shape) names(columns []int) string {
	var all []string
	for _, c := range columns {
		all = append(all, s.columns[c].Name)
	}
	return strings.Join(all, ", ")
}

func (s *shape) label(row int, between string) string {
	var all []string
	for _, k := range s.keys {
		all = append(all, s.columns[k].Cells[row].label())
	}
	return strings.Join(all, between)
}

func (s *shape) bars(c *Chart) error {
	for row := range s.rows {
		c.Labels = append(c.Labels, s.label(row, ", "))
	}
	s.panels(c, nil)
	return nil
}

// panels adds a panel for each column of numbers, with the rows in the order of places: -1 is none.
func (s *shape) panels(c *Chart, places []int) {
	for _, f := range s.figures {
		column := s.columns[f]
		one := Series{Values: s.at[f]}
		long := slices.ContainsFunc(column.Cells, func(c Cell) bool { return len(c.Text) > textMax })
		if places == nil && column.Typed && !long {
			for _, cell := range column.Cells {
				one.Texts = append(one.Texts, cell.Text)
			}
		}
		if places != nil {
			one.Values = make([]float64, len(places))
			for i, row := range places {
				if one.Values[i] = 0; row >= 0 {
					one.Values[i] = s.at[f][row]
				}
			}
		}
		c.Panels = append(c.Panels, Panel{Name: column.Name, Series: []Series{one}})
	}
}

// ordered returns the rows in the order of the first key; those without one are left out.
func (s *shape) ordered() (rows []int) {
	at := s.at[s.keys[0]]
	for row := range s.rows {
		if !math.IsNaN(at[row]) {
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int {
		switch {
		case at[a] < at[b]:
			return -1
		case at[a] > at[b]:
			return 1
		}
		return 0
	})
	return rows
}

func (s *shape) overTime(c *Chart) error {
	rows := s.ordered()
	var at []float64
	for _, row := range rows {
		at = append(at, s.at[s.keys[0]][row])
		c.Labels = append(c.Labels, s.columns[s.keys[0]].Cells[row].Text)
	}
	s.panels(c, rows)
	for _, p := range c.Panels {
		p.Series[0].At = at
	}
	return nil
}

// byName makes a line for each text of the second key.
func (s *shape) byName(c *Chart) error {
	names, p := s.columns[s.keys[1]], Panel{Name: s.columns[s.figures[0]].Name}
	for _, row := range s.ordered() {
		name := names.Cells[row].label()
		i := slices.IndexFunc(p.Series, func(s Series) bool { return s.Name == name })
		if i < 0 {
			i = len(p.Series)
			p.Series = append(p.Series, Series{Name: name})
		}
		if i == seriesMax {
			return fmt.Errorf("%s has more than %d values, and so many lines cannot be told apart: choose some with where",
				names.Name, seriesMax)
		}
		one := &p.Series[i]
		one.At, one.Values = append(one.At, s.at[s.keys[0]][row]), append(one.Values, s.at[s.figures[0]][row])
		c.Labels = append(c.Labels, s.columns[s.keys[0]].Cells[row].Text)
	}
	c.Panels, c.Key = []Panel{p}, s.columns[s.keys[0]].Name
	return nil
}

// binned returns the width of the bins whose edges the keys are, 0 if they are none: in ascending order, of numbers or
// of texts, at multiples of a distance from the lowest, and at least every third of them is there. Keys in another
// order were put in it by the question, and are labels.
func (s *shape) binned() (step float64) {
	at, cells := s.at[s.keys[0]], s.columns[s.keys[0]].Cells
	byNumber, byText := true, true
	for row := 1; row < s.rows; row++ {
		byNumber = byNumber && !(at[row] <= at[row-1])
		byText = byText && (cells[row].Null || cells[row-1].Text < cells[row].Text)
	}
	rows := s.ordered()
	if len(rows) < 2 || !byNumber && !byText {
		return 0
	}
	step = math.Inf(1)
	for i, row := range rows[1:] {
		step = min(step, at[row]-at[rows[i]])
	}
	lowest := at[rows[0]]
	bins := (at[rows[len(rows)-1]] - lowest) / step
	if !(step > 0) || bins >= binsMax || bins >= float64(3*len(rows)) {
		return 0
	}
	for _, row := range rows {
		if n := (at[row] - lowest) / step; math.Abs(n-math.Round(n)) > 1e-6*max(1, n) {
			return 0
		}
	}
	return step
}

// bins makes a histogram: a bin without a row is empty, and null comes last.
func (s *shape) bins(c *Chart) error {
	c.Step = s.binned()
	at, rows := s.at[s.keys[0]], s.ordered()
	var places []int
	for _, row := range rows {
		for n := int(math.Round((at[row] - at[rows[0]]) / c.Step)); len(places) <= n; {
			c.Edges = append(c.Edges, at[rows[0]]+float64(len(places))*c.Step)
			places = append(places, -1)
		}
		places[len(places)-1] = row
	}
	c.Labels = (&Series{Values: c.Edges}).figures()
	if row := slices.IndexFunc(at, math.IsNaN); row >= 0 {
		places, c.Edges, c.Labels = append(places, row), append(c.Edges, none), append(c.Labels, s.label(row, ""))
	}
	s.panels(c, places)
	return nil
}
