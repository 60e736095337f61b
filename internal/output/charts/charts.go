// Package charts draws answers: as text for terminals, as SVG, and as a page for browsers. What suits an answer follows
// from its columns: bars for groups, lines for times, and histograms for numbers at equal distances.
package charts

import (
	"math"
	"strconv"
	"strings"
)

// Form is a kind of chart.
type Form uint8

const (
	Bars      Form = iota // a bar for each key
	Lines                 // a line over time
	Histogram             // a bar for each bin, from the lowest on, with those that are empty
)

// Chart is a drawing before it is known where it is drawn.
type Chart struct {
	Title  string // tells several apart
	Form   Form
	Key    string    // the name of the keys
	Labels []string  // the keys
	Edges  []float64 // of Histogram: the lower edges of bins, NaN for null
	Step   float64   // between edges
	Panels []Panel
	More   int // rows that are not in it
}

// Panel is a part of a chart with a scale of its own.
type Panel struct {
	Name   string
	Series []Series
}

// Series is a row of values, one for each key; of Lines for each of its times.
type Series struct {
	Name   string    // tells those of a panel apart
	At     []float64 // of Lines: seconds since 1970, ascending
	Values []float64 // NaN is no value
	Texts  []string  // the values as they are written; nil where digits suffices
}

// Look says how a chart is drawn as text.
type Look struct {
	Width  int  // columns; 0 is 80
	Height int  // lines of the screen; 0 draws everything
	ASCII  bool // no blocks
	Color  bool
	Hint   string // after how much is left out
}

// none is the value of a key that has none.
var none = math.NaN()

// span returns the first and the last time.
func (c *Chart) span() (first, last float64) {
	first, last = math.Inf(1), math.Inf(-1)
	for _, p := range c.Panels {
		for _, s := range p.Series {
			if len(s.At) > 0 {
				first, last = min(first, s.At[0]), max(last, s.At[len(s.At)-1])
			}
		}
	}
	return first, last
}

// drawn reports whether a value can be drawn: not one from which the distance to another may be infinite.
func drawn(v float64) bool { return math.Abs(v) <= 1e300 }

// bounds returns the least and the greatest value of a panel, 0 and 0 if it has none.
func (p *Panel) bounds() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range p.Series {
		for _, v := range s.Values {
			if drawn(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if low > high {
		return 0, 0
	}
	return low, high
}

// figures returns the values of a series as they are written: all with as many digits after the point, so that points
// are below each other, and with about six digits where there are more.
func (s *Series) figures() []string {
	if s.Texts != nil {
		return s.Texts
	}
	most, decimals := 0.0, 0
	for _, v := range s.Values {
		if drawn(v) {
			most = max(most, math.Abs(v))
			text := strconv.FormatFloat(v, 'f', -1, 64)
			if _, after, ok := strings.Cut(text, "."); ok {
				decimals = max(decimals, len(after))
			}
		}
	}
	whole := 1
	for ten := 10.0; ten <= most && whole < 6; ten *= 10 {
		whole++
	}
	if most > 0 && most < 1e-3 || most >= 1e15 {
		decimals = -1 // then the exponent says it better
	}
	texts := make([]string, len(s.Values))
	for i, v := range s.Values {
		switch {
		case math.IsNaN(v):
		case decimals < 0 || math.IsInf(v, 0):
			texts[i] = strconv.FormatFloat(v, 'g', 6, 64)
		default:
			texts[i] = strconv.FormatFloat(v, 'f', min(decimals, 6-whole), 64)
		}
	}
	return texts
}
