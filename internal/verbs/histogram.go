package verbs

import (
	"cmp"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/output/charts"
)

// histogram prints a histogram: as bars on a terminal, otherwise as CSV or JSON.
func (o *countOutput) histogram(name string, r answer.Report, withName bool) error {
	switch {
	case o.flags.JSON:
		o.line(o.histogramJSON(name, r))
	case command.IsTerminal(o.OS()):
		if withName {
			o.print(name + "\n")
		}
		columns, _, err := term.GetSize(int(o.OS().Fd()))
		if err != nil {
			columns = 0
		}
		o.print(string(drawn(r.Histogram).AppendText(nil, charts.Look{Width: columns, ASCII: o.ASCII(), Color: o.Colors()})))
	default:
		if !withName {
			name = ""
		}
		o.err = cmp.Or(o.err, command.Histogram(o, name, r.Histogram, !o.headerPrinted))
		o.headerPrinted = true
	}
	return o.err
}

// histogramJSON is the JSON line of one input. Edges are numbers of the type; infinities are
// text, because JSON has no infinite numbers.
type histogramJSON struct {
	File command.Text `json:"file"`
	tensorJSON
	Count    int64     `json:"count"`
	Bins     []binJSON `json:"bins"`
	Below    uint64    `json:"below,omitempty"`
	Above    uint64    `json:"above,omitempty"`
	NaN      uint64    `json:"nan,omitempty"`
	Complete *bool     `json:"complete,omitempty"` // omitted if true
}

type binJSON struct {
	Low   number `json:"low"`
	High  number `json:"high"`
	Count uint64 `json:"count"`
}

func (o *countOutput) histogramJSON(name string, r answer.Report) histogramJSON {
	h := histogramJSON{command.Text(o.fileOf(name)), o.tensorJSON(), r.Hits, []binJSON{},
		r.Histogram.Below, r.Histogram.Above, r.Histogram.NaN, incomplete(r)}
	for _, b := range r.Histogram.Bins {
		h.Bins = append(h.Bins, binJSON{number(b.Low), number(b.High), b.Count})
	}
	return h
}

// number is a number in decimal text, of any size and precision.
type number string

// MarshalJSON returns a JSON number; a string for infinities and NaN, which JSON does not have as
// numbers; and null for an empty text.
func (n number) MarshalJSON() ([]byte, error) {
	if strings.ContainsAny(string(n), "nN") { // inf, NaN
		return strconv.AppendQuote(nil, string(n)), nil
	}
	if n == "" {
		return []byte("null"), nil
	}
	return []byte(n), nil
}

// drawn returns a histogram as a chart: the bins by their lower edges, and if there are any, the values outside and
// NaN.
func drawn(h *answer.Histogram) *charts.Chart {
	c := &charts.Chart{Form: charts.Histogram, Key: "from"}
	var counts charts.Series
	add := func(label string, n uint64) {
		c.Labels = append(c.Labels, label)
		counts.Values = append(counts.Values, float64(n))
		counts.Texts = append(counts.Texts, strconv.FormatUint(n, 10))
	}
	if h.Below > 0 {
		add("below", h.Below)
	}
	for _, b := range h.Bins {
		add(b.Low, b.Count)
	}
	if h.Above > 0 {
		add("above", h.Above)
	}
	if h.NaN > 0 {
		add("NaN", h.NaN)
	}
	c.Panels = []charts.Panel{{Name: "count", Series: []charts.Series{counts}}}
	return c
}
