package report

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/thresh-dev/thresh/internal/output/svg"
	"github.com/thresh-dev/thresh/lab"
)

// A headline is a row that the pictures show, with what to call it. They answer
// one question: how many times as fast is it as what people use today?
type headline struct{ group, name, peer, rowCase, rowPeer string }

var headlines = []headline{
	{"find", "first byte that is not zero, cached", "needle/v13", "warm", "needle/v13"},
	{"find", "first byte that is not zero, cached", "cmp", "cmp", "cmp"},
	{"find", "that byte, not cached", "fio, its best way", "cold", "fio direct"},
	{"find", "rare text in a log", "ripgrep", "literal", "rg"},
	{"find", "expression with a frequent text", "ripgrep", "regex-literal", "rg"},
	{"find", "expression without a text", "ripgrep", "regex-no-literal", "rg"},
	{"find", "bytes with wildcards", "grep -P", "hex", "grep"},
	{"count", "values equal to 10", "tens/unrolled", "tens", "tens/unrolled"},
	{"count", "lines", "wc -l", "lines", "wc -l"},
	{"count", "a frequent word", "ripgrep", "count-text", "rg --count-matches"},
	{"count", "a word in 100,000 files", "ripgrep", "tree", "rg -uuu -c"},
	{"table", "four questions about donations", "donations/rev9", "table-donations", "donations/rev9"},
	{"table", "four questions about donations", "DuckDB", "table-donations", "DuckDB"},
	{"table", "four questions about donations", "Polars", "table-donations", "Polars"},
	{"table", "100 million measurements", "DuckDB", "table-brc", "DuckDB"},
	{"table", "100 million measurements", "Polars", "table-brc", "Polars"},
	{"table", "10 million keys", "DuckDB", "table-keys", "DuckDB"},
	{"minify", "200 MB of JSON in memory", "simdjson, AVX-512", "minify-memory", "simdjson icelake"},
	{"minify", "200 MB of JSON in memory", "simdjson, AVX2", "minify-memory", "simdjson haswell"},
	{"minify", "500 MB from file to file", "jq", "minify-file", "jq -c"},
	{"serve, relay", "CPU time a byte, one large file", "nginx", "serve-file", "nginx"},
	{"serve, relay", "CPU time a byte, relayed", "HAProxy", "relay-cpu", "HAProxy"},
	{"start-up", "a file of 1000 bytes", "grep -c", "small", "grep -c"},
}

// errNoHeadlines reports results that have nothing that the pictures show.
var errNoHeadlines = errors.New("the results have no comparison that the pictures show")

// rowsByPeer returns the rows of all comparisons by case and peer.
func rowsByPeer(r lab.Results) map[[2]string]lab.Row {
	rows := map[[2]string]lab.Row{}
	for _, row := range allRows(r) {
		rows[[2]string{row.Case, row.Peer}] = row
	}
	return rows
}

// Measures of the pictures, in pixels. Letters are about 6.4 wide.
const (
	plotWidth  = 860
	plotTop    = 64
	plotBottom = 52
)

// picture is a picture that is being written.
type picture struct{ *svg.Picture }

// frame writes a picture: its title, what it shows, what it is made of, and the machine below.
func (p picture) frame(r lab.Results, height float64, title, heading, legend string, content func()) error {
	m := r.Machine
	p.Begin(plotWidth, height, title+", "+day(m.Date), plotLight, plotDark)
	p.Text(16, 26, "head", heading)
	p.Text(16, 45, "soft", legend)
	content()
	p.Text(16, height-14, "soft", fmt.Sprintf("%s, %d processors, %s, %s, %s of memory", day(m.Date), m.Processors,
		m.Processor, m.Kernel, size(float64(m.MemoryBytes))))
	return p.End()
}

// Measures of the picture of ratios.
const (
	ratiosLeft  = 450 // of the axis
	ratiosRight = 790
	rowHeight   = 22
)

// ticks are where the axis may have a number.
var ticks = []float64{0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}

// mark is a headline with its figure.
type mark struct {
	headline
	lab.Summary
}

// Ratios draws how many times as fast thresh is, as SVG on a scale of logarithms: the dot is the median of the
// rounds, the line reaches from the lowest to the highest.
func Ratios(w io.Writer, r lab.Results) error {
	rows := rowsByPeer(r)
	var marks []mark
	low, high := 1.0, 2.0
	for _, h := range headlines {
		row, ok := rows[[2]string{h.rowCase, h.rowPeer}]
		if s := row.Speedup(); ok && s.Low > 0 && !math.IsInf(s.High, 0) {
			marks = append(marks, mark{h, s})
			low, high = min(low, s.Low), max(high, s.High)
		}
	}
	if len(marks) == 0 {
		return errNoHeadlines
	}
	bottom := float64(plotTop + rowHeight*len(marks))
	p := picture{svg.New(w)}
	return p.frame(r, bottom+plotBottom, "How many times as fast thresh is as other programs",
		"Times as fast as what people use today", "median of the rounds, lowest to highest; farther right is faster", func() {
			x := p.axis(low, high, bottom)
			p.marks(marks, x)
		})
}

// axis draws an axis that ends at ticks, and returns where a value is on it.
func (p picture) axis(low, high, bottom float64) (x func(v float64) float64) {
	first, last := ticks[0], ticks[len(ticks)-1]
	for _, t := range ticks {
		if t <= low {
			first = t
		}
		if t >= high && t < last {
			last = t
		}
	}
	x = func(v float64) float64 {
		at := math.Log(v/first) / math.Log(last/first)
		return ratiosLeft + (ratiosRight-ratiosLeft)*min(1, max(0, at))
	}
	for _, t := range ticks {
		if t < first || t > last {
			continue
		}
		class := "grid"
		if t == 1 {
			class = "axis"
		}
		p.Segment(x(t), plotTop-4, x(t), bottom, class)
		p.Text(x(t), bottom+16, "soft mid", fmt.Sprintf("%g", t))
	}
	return x
}

func (p picture) marks(marks []mark, x func(v float64) float64) {
	group, name := "", ""
	for i, m := range marks {
		y := float64(plotTop+rowHeight*i) + rowHeight/2
		if m.group != group {
			if group != "" {
				p.Segment(16, y-rowHeight/2, plotWidth-16, y-rowHeight/2, "grid")
			}
			group = m.group
			p.Text(16, y+4, "group", group)
		}
		if m.name != name {
			name = m.name
			p.Text(118, y+4, "", name)
		}
		p.Text(ratiosLeft-12, y+4, "end soft", m.peer)
		p.Segment(x(m.Low), y, x(m.High), y, "spread")
		p.Dot(x(m.Median), y, 4.5, "dot", fmt.Sprintf("%s, beside %s: %.2f (%.2f to %.2f, %d rounds)", name, m.peer,
			m.Median, m.Low, m.High, m.Rounds))
		p.Text(plotWidth-16, y+4, "end", digits(m.Median)+"×")
	}
}

// digits prints a number with about three digits.
func digits(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// The colours of the pictures that others do not have, in light and in dark.
const (
	plotLight = `.spread { stroke: #0b6e99; stroke-width: 2; stroke-linecap: round; opacity: .55 }
.own { fill: #0b6e99 } .peer { fill: #afb8c1 }`
	plotDark = ".spread { stroke: #58b7e0 }\n.own { fill: #58b7e0 } .peer { fill: #545d68 }"
)
