package main

import (
	"fmt"
	"html"
	"io"
	"math"
)

// A headline is a row of the report that the plot shows, with what to call it. The plot answers
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

// speedup returns how many times as fast thresh is as the peer of a row. Times and costs are
// turned around.
func (r row) speedup() summary {
	if moreIsBetter(r.What) {
		return r.Number
	}
	return summary{Median: 1 / r.Number.Median, Low: 1 / r.Number.High, High: 1 / r.Number.Low, Rounds: r.Number.Rounds}
}

// Measures of the plot, in pixels. Letters are about 6.4 wide.
const (
	plotWidth  = 860
	plotLeft   = 450 // of the axis
	plotRight  = 790
	rowHeight  = 22
	plotTop    = 64
	plotBottom = 52
)

// ticks are where the axis may have a number.
var ticks = []float64{0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}

// plot draws the headlines that the report has, as SVG on a scale of logarithms: the dot is the
// median of the rounds, the line reaches from the lowest to the highest. It has colours for light
// and for dark pages.
func plot(w io.Writer, r *report) error {
	type mark struct {
		headline
		summary
	}
	rows := map[[2]string]row{}
	for _, row := range r.Rows {
		rows[[2]string{row.Case, row.Peer}] = row
	}
	var marks []mark
	low, high := 1.0, 2.0
	for _, h := range headlines {
		row, ok := rows[[2]string{h.rowCase, h.rowPeer}]
		if s := row.speedup(); ok && s.Low > 0 && !math.IsInf(s.High, 0) {
			marks = append(marks, mark{h, s})
			low, high = min(low, s.Low), max(high, s.High)
		}
	}
	if len(marks) == 0 {
		return fmt.Errorf("the report of %s has no case that the plot shows", r.Date.Format("2006-01-02"))
	}
	// The axis ends at ticks.
	first, last := ticks[0], ticks[len(ticks)-1]
	for _, t := range ticks {
		if t <= low {
			first = t
		}
		if t >= high && t < last {
			last = t
		}
	}
	x := func(v float64) float64 {
		at := math.Log(v/first) / math.Log(last/first)
		return plotLeft + (plotRight-plotLeft)*min(1, max(0, at))
	}
	bottom := float64(plotTop + rowHeight*len(marks))
	p := &printer{w: w}
	p.f(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" role="img" aria-labelledby="title">`,
		plotWidth, bottom+plotBottom)
	day := r.Date.UTC().Format("2006-01-02")
	p.f(`<title id="title">How many times as fast thresh is as other programs, %s</title>`, day)
	p.f("%s", plotStyle)
	p.f(`<text x="16" y="26" class="head">Times as fast as what people use today</text>`)
	p.f(`<text x="16" y="45" class="soft">median of the rounds, lowest to highest; farther right is faster</text>`)
	for _, t := range ticks {
		if t < first || t > last {
			continue
		}
		class := "grid"
		if t == 1 {
			class = "one"
		}
		p.f(`<line x1="%.1f" y1="%d" x2="%.1f" y2="%.0f" class="%s"/>`, x(t), plotTop-4, x(t), bottom, class)
		p.f(`<text x="%.1f" y="%.0f" class="soft mid">%g</text>`, x(t), bottom+16, t)
	}
	group, name := "", ""
	for i, m := range marks {
		y := float64(plotTop+rowHeight*i) + rowHeight/2
		if m.group != group {
			if group != "" {
				p.f(`<line x1="16" y1="%.1f" x2="%d" y2="%.1f" class="grid"/>`, y-rowHeight/2, plotWidth-16, y-rowHeight/2)
			}
			group = m.group
			p.f(`<text x="16" y="%.1f" class="group">%s</text>`, y+4, html.EscapeString(group))
		}
		if m.name != name {
			name = m.name
			p.f(`<text x="118" y="%.1f">%s</text>`, y+4, html.EscapeString(name))
		}
		p.f(`<text x="%d" y="%.1f" class="end soft">%s</text>`, plotLeft-12, y+4, html.EscapeString(m.peer))
		p.f(`<g><title>%s, beside %s: %.2f (%.2f to %.2f, %d rounds)</title>`,
			html.EscapeString(name), html.EscapeString(m.peer), m.Median, m.Low, m.High, m.Rounds)
		p.f(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="spread"/>`, x(m.Low), y, x(m.High), y)
		p.f(`<circle cx="%.1f" cy="%.1f" r="4.5" class="dot"/></g>`, x(m.Median), y)
		p.f(`<text x="%d" y="%.1f" class="end">%s</text>`, plotWidth-16, y+4, times(m.Median))
	}
	machine := fmt.Sprintf("%s processors, %s, %s", r.Machine["processors"], r.Machine["model"], r.Machine["kernel"])
	p.f(`<text x="16" y="%.0f" class="soft">%s, %s</text>`, bottom+40, day, html.EscapeString(machine))
	p.f(`</svg>`)
	return p.err
}

// times prints a ratio with about three digits.
func times(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f×", v)
	case v >= 10:
		return fmt.Sprintf("%.1f×", v)
	}
	return fmt.Sprintf("%.2f×", v)
}

// printer prints lines and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) f(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// plotStyle has no background: the page's shows through.
const plotStyle = `<style>
text { font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
.head { font-size: 16px; font-weight: 600 }
.group { font-weight: 600 }
.soft { fill: #59636e }
.mid { text-anchor: middle }
.end { text-anchor: end }
.grid { stroke: #d1d9e0; stroke-width: 1 }
.one { stroke: #59636e; stroke-width: 1.5 }
.spread { stroke: #0b6e99; stroke-width: 2; stroke-linecap: round; opacity: .55 }
.dot { fill: #0b6e99 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
.soft { fill: #9198a1 }
.grid { stroke: #3d444d }
.one { stroke: #9198a1 }
.spread { stroke: #58b7e0 }
.dot { fill: #58b7e0 }
}
</style>`
