package report

import (
	"fmt"
	"slices"

	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/internal/quantile"
	"github.com/thresh-dev/thresh/lab"
)

// chart is what the page's script draws. All texts are made here; the script only places them.
type chart struct {
	Kind       string   `json:"kind"`  // bars, lines, boxes, flame
	Title      string   `json:"title"` // also says it to who cannot see it
	Unit       string   `json:"unit"`
	Over       string   `json:"over,omitempty"` // what lines go over
	Log        bool     `json:"log,omitempty"`
	Stacked    bool     `json:"stacked,omitempty"`
	Categories []string `json:"categories,omitempty"`
	// Notes stand in place of the bars of categories that have none.
	Notes  []string `json:"notes,omitempty"`
	Series []series `json:"series,omitempty"`
	Flame  *flame   `json:"flame,omitempty"`
}

// series is the points of a colour. Bars and boxes have one for each category, some without a value.
type series struct {
	Name   string  `json:"name"`
	Points []point `json:"points"`
}

// point is a value and what the script shows with it.
type point struct {
	X         float64   `json:"x,omitempty"` // of lines
	Value     *float64  `json:"value,omitempty"`
	Low       float64   `json:"low,omitempty"`
	High      float64   `json:"high,omitempty"`
	Published *float64  `json:"published,omitempty"`
	Box       []float64 `json:"box,omitempty"` // lowest, quartiles, highest
	Runs      []float64 `json:"runs,omitempty"`
	Role      string    `json:"role,omitempty"` // product, peer
	Text      string    `json:"text,omitempty"`
}

// logFrom is the ratio of the largest to the smallest value from which on a scale is logarithmic.
const logFrom = 30

// scale makes the scale logarithmic where the values need it, and can have it.
func (c chart) scale() chart {
	least, most := 0.0, 0.0
	see := func(v float64) {
		if least == 0 || v < least {
			least = v
		}
		most = max(most, v)
	}
	for _, s := range c.Series {
		for _, p := range s.Points {
			if p.Value != nil {
				see(*p.Value)
			}
			if p.Published != nil {
				see(*p.Published)
			}
			for _, v := range p.Box {
				see(v)
			}
		}
	}
	c.Log = least > 0 && most/least >= logFrom && !c.Stacked
	return c
}

func (c chart) empty() bool {
	return c.Flame == nil && !slices.ContainsFunc(c.Series, func(s series) bool {
		return slices.ContainsFunc(s.Points, func(p point) bool {
			return p.Value != nil || p.Box != nil || p.Published != nil
		})
	})
}

func direction(m lab.Metric) string {
	if m.MoreIsBetter {
		return m.Unit + ", more is better"
	}
	return m.Unit + ", less is better"
}

// scoreChart has a bar for each row.
func (b board) scoreChart() chart {
	c := chart{Kind: "bars", Unit: b.experiment.Metric.Unit, Series: []series{{Name: "here"}}}
	c.Title = "Scoreboard, " + direction(b.experiment.Metric)
	for _, r := range b.rows {
		c.Categories = append(c.Categories, r.label)
		c.Series[0].Points = append(c.Series[0].Points, b.point(r))
		c.Notes = append(c.Notes, r.shortNote())
	}
	return c.scale()
}

// shortNote says in a chart why a row has no bar.
func (r row) shortNote() string {
	switch {
	case r.best != nil:
		return ""
	case r.wrong:
		return "wrong answer"
	case !r.ran:
		return "not run"
	}
	return "no figure"
}

// point is a row's bar.
func (b board) point(r row) point {
	p := point{}
	if r.variant.Product {
		p.Role = "product"
	} else if r.variant.Peer {
		p.Role = "peer"
	}
	if r.best != nil {
		f := r.figure
		p.Value, p.Low, p.High = &f.Value, f.Low, f.High
		p.Text = fmt.Sprintf("%s (%s to %s, %s)", b.withUnit(f.Value), number(f.Low), number(f.High),
			numeral.CountGrouped(f.Runs, "run"))
		p.Text = join(p.Text, scaleText(r.best.Setting))
	} else {
		p.Text = r.note
	}
	if r.published != nil {
		p.Published = &r.published.Value
		p.Text += "; article: " + b.withUnit(r.published.Value)
	}
	return p
}

// groupedChart has a group of bars for each variant and size, with a bar for each board that has it.
func groupedChart(title string, names []string, boards []board) chart {
	c := chart{Kind: "bars", Title: title}
	for i, b := range boards {
		c.Unit = b.experiment.Metric.Unit
		c.Series = append(c.Series, series{Name: names[i]})
	}
	for _, rows := range sideBySide(boards) {
		label := ""
		note := ""
		for i, r := range rows {
			p := point{}
			if r != nil {
				label, p = r.label, boards[i].point(*r)
				p.Role = "" // the colours tell the boards apart
				if n := r.shortNote(); n != "" {
					note = n
				}
			}
			c.Series[i].Points = append(c.Series[i].Points, p)
		}
		c.Categories, c.Notes = append(c.Categories, label), append(c.Notes, note)
		if slices.ContainsFunc(rows, func(r *row) bool { return r != nil && r.best != nil }) {
			c.Notes[len(c.Notes)-1] = ""
		}
	}
	return c.scale()
}

// sideBySide returns the rows of several boards by variant and size: rows[i] of each is boards[i]'s or nil.
func sideBySide(boards []board) [][]*row {
	type key struct {
		id string
		n  int
	}
	at := map[key]int{}
	var all [][]*row
	var order []key
	for i, b := range boards {
		for j := range b.rows {
			k := key{b.rows[j].variant.ID, b.rows[j].n}
			if _, known := at[k]; !known {
				at[k] = len(all)
				all = append(all, make([]*row, len(boards)))
				order = append(order, k)
			}
			all[at[k]][i] = &b.rows[j]
		}
	}
	if len(boards) > 0 { // in the order of the experiment's variants
		rank := map[string]int{}
		for i, v := range boards[0].experiment.Variants {
			rank[v.ID] = i
		}
		slices.SortStableFunc(order, func(a, b key) int {
			if a.id != b.id {
				return rank[a.id] - rank[b.id]
			}
			return a.n - b.n
		})
	}
	sorted := make([][]*row, len(order))
	for i, k := range order {
		sorted[i] = all[at[k]]
	}
	return sorted
}

// scalingCharts have the figures over the number of workers, and over the number of processors, of the
// variants that were measured with several.
func (b board) scalingCharts() []chart {
	return []chart{
		b.scaling("workers", func(s lab.Setting) int { return s.Workers }),
		b.scaling("processors", func(s lab.Setting) int { return s.Procs }),
	}
}

func (b board) scaling(what string, width func(lab.Setting) int) chart {
	c := chart{Kind: "lines", Unit: b.experiment.Metric.Unit, Over: what}
	c.Title = fmt.Sprintf("Over the number of %s, %s", what, direction(b.experiment.Metric))
	for _, r := range b.rows {
		ours := series{Name: r.label}
		for _, m := range b.all {
			f, ok := figure(b.experiment, m)
			if !ok || m.Variant != r.variant.ID || m.Setting.N != r.n || width(m.Setting) == 0 {
				continue
			}
			ours.Points = append(ours.Points, point{X: float64(width(m.Setting)), Value: &f.Value, Low: f.Low, High: f.High,
				Text: fmt.Sprintf("%s: %s (%s to %s)", scaleText(m.Setting), b.withUnit(f.Value), number(f.Low), number(f.High))})
		}
		theirs := series{Name: r.label + ", article"}
		for i := range r.variant.Published {
			p := &r.variant.Published[i]
			if (p.Setting.State == b.state || p.Setting.State == lab.Any) && p.Setting.N == r.n && width(p.Setting) != 0 {
				theirs.Points = append(theirs.Points, point{X: float64(width(p.Setting)), Value: &p.Value,
					Text: fmt.Sprintf("%s: %s", scaleText(p.Setting), b.withUnit(p.Value))})
			}
		}
		for _, s := range []series{ours, theirs} {
			byX := func(a, b point) int { return int(a.X - b.X) }
			slices.SortStableFunc(s.Points, byX)
			if len(s.Points) > 1 && s.Points[0].X != s.Points[len(s.Points)-1].X {
				c.Series = append(c.Series, s)
			}
		}
	}
	return c.scale()
}

// boxChart has the single runs of each row's best measurement.
func (b board) boxChart() chart {
	c := chart{Kind: "boxes", Unit: b.experiment.Metric.Unit, Series: []series{{Name: "here"}}}
	c.Title = "The single runs, " + direction(b.experiment.Metric)
	for _, r := range b.rows {
		if r.best == nil || len(r.best.Outcomes) < 2 {
			continue
		}
		runs := slices.Sorted(slices.Values(figures(b.experiment, r.best)))
		box := []float64{runs[0], quantile.Of(runs, 0.25), quantile.Of(runs, 0.5), quantile.Of(runs, 0.75), runs[len(runs)-1]}
		c.Categories = append(c.Categories, r.label)
		c.Series[0].Points = append(c.Series[0].Points, point{Box: box, Runs: runs, Text: fmt.Sprintf(
			"median %s, quartiles %s and %s, %s to %s, %s", b.withUnit(box[2]), number(box[1]), number(box[3]),
			number(box[0]), number(box[4]), numeral.CountGrouped(len(runs), "run"))})
	}
	if c = c.scale(); c.Log {
		c.relate()
	}
	return c
}

// relate shows the runs in percent of their median: where the variants are far apart, the spread of one
// could not be seen beside the others.
func (c *chart) relate() {
	c.Log, c.Unit = false, "% of the median"
	c.Title = "The single runs, each in percent of its variant's median"
	for _, p := range c.Series[0].Points {
		median := p.Box[2]
		for _, values := range [][]float64{p.Box, p.Runs} {
			for i := range values {
				values[i] *= 100 / median
			}
		}
	}
}

// costCharts have the processor time and the system calls of each row.
func (b board) costCharts() []chart {
	cpu := chart{Kind: "bars", Unit: "s", Stacked: true, Series: []series{{Name: "user"}, {Name: "system"}}}
	calls := chart{Kind: "bars", Unit: "calls", Series: []series{{Name: "reads and writes"}}}
	per := ""
	for _, r := range b.rows {
		if r.best == nil {
			continue
		}
		c := costOf(r.best)
		if per == "" {
			per = c.per
		}
		if c.per != per {
			continue // the table has it
		}
		cpu.Categories, calls.Categories = append(cpu.Categories, r.label), append(calls.Categories, r.label)
		for i, seconds := range []float64{c.user, c.system} {
			cpu.Series[i].Points = append(cpu.Series[i].Points, positive(seconds, number(seconds)+" s"))
		}
		calls.Series[0].Points = append(calls.Series[0].Points, positive(c.calls, number(c.calls)))
	}
	cpu.Title = "Processor seconds for each " + per + ", less is better"
	calls.Title = "Read and write system calls for each " + per + ", less is better"
	return []chart{cpu.scale(), calls.scale()}
}

// positive is a point for a value that is 0 where it is unknown.
func positive(v float64, text string) point {
	if v <= 0 {
		return point{}
	}
	return point{Value: &v, Text: text}
}
