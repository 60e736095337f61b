package charts

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/internal/output/svg"
)

// Measures of a drawing, in pixels.
const (
	drawingWidth = 860
	margin       = 16 // of a file; a part has that of its page
	headHeight   = 44
	barHeight    = 24
	plotHeight   = 240
	axisHeight   = 26
	panelGap     = 20
	barRowsMax   = 100 // more would not be read
	partRowsMax  = 30  // nor the table below it
	dotsMax      = 150 // more would hide the line
)

// SVG writes a chart as a file.
func (c *Chart) SVG(w io.Writer) error {
	d := c.drawing(w, drawingWidth, margin)
	d.Begin(d.width, d.height(), c.says(), lightRules(), darkRules())
	return d.all()
}

// part writes a chart as a part of a page, of a width.
func (c *Chart) part(w io.Writer, width float64) error {
	d := c.drawing(w, width, 4)
	d.rows = min(d.rows, partRowsMax)
	d.BeginPart(d.width, d.height(), c.says())
	return d.all()
}

// drawing is a chart that is written as SVG.
type drawing struct {
	*Chart
	*svg.Picture
	width  float64
	margin float64 // left and right
	rows   int     // of bars
	y      float64
}

func (c *Chart) drawing(w io.Writer, width, margin float64) *drawing {
	return &drawing{Chart: c, Picture: svg.New(w), width: width, margin: margin, rows: min(len(c.Labels), barRowsMax)}
}

// says returns what a chart shows, in words.
func (c *Chart) says() string {
	var names []string
	for _, p := range c.Panels {
		names = append(names, p.Name)
	}
	if c.Title != "" {
		return c.Title
	}
	return strings.Join(names, ", ") + " by " + c.Key
}

func (d *drawing) left() int { return len(d.Labels) - d.rows + d.More }

func (d *drawing) height() float64 {
	one := float64(plotHeight + axisHeight)
	if d.Form == Bars {
		one = float64(d.rows * barHeight)
	}
	height := 0.0
	for i := range d.Panels {
		height += headHeight + one + panelGap
		if len(d.Panels[i].Series) > 1 {
			height += d.legend(&d.Panels[i], false)
		}
	}
	if d.Form == Bars && d.left() > 0 {
		height += barHeight
	}
	return max(height, headHeight)
}

func (d *drawing) all() error {
	if len(d.Labels) == 0 {
		d.Text(d.margin, 26, "soft", "nothing to draw")
	}
	for i := range d.Panels {
		p := &d.Panels[i]
		d.Text(d.margin, d.y+26, "head", svg.Cut(p.Name+" by "+d.Key, (d.width-2*d.margin)*0.8))
		d.y += headHeight
		switch {
		case len(d.Labels) == 0:
		case d.Form == Bars:
			d.bars(p)
		default:
			if len(p.Series) > 1 {
				d.y += d.legend(p, true)
			}
			d.plot(p)
		}
		d.y += panelGap
	}
	if d.Form == Bars && d.left() > 0 {
		d.Text(d.margin, d.y+2, "soft", "… "+numeral.CountGrouped(d.left(), "more row"))
	}
	return d.End()
}

// bars draws a bar for each key, with its label at the left and its number at the end.
func (d *drawing) bars(p *Panel) {
	s := &p.Series[0]
	texts := s.figures()
	labels, figures := 0.0, 0.0
	for i := range d.rows {
		labels, figures = max(labels, svg.Width(d.Labels[i])), max(figures, svg.Width(texts[i]))
	}
	labels = min(labels, d.width*0.4)
	low, high := p.bounds()
	low, high = min(low, 0), max(high, 0)
	from, to := d.margin+labels+10, d.width-d.margin-figures-8
	if low < 0 {
		from += figures + 14
	}
	x := func(v float64) float64 { return from + (to-from)*(v-low)/max(high-low, 1e-300) }
	for i := range d.rows {
		y, v := d.y+float64(i*barHeight), s.Values[i]
		d.Text(d.margin+labels, y+16, "end", svg.Cut(d.Labels[i], labels+1))
		if !drawn(v) {
			d.Text(x(0)+6, y+16, "soft", texts[i])
			continue
		}
		begin, end := x(min(v, 0)), x(max(v, 0))
		d.Rect(begin, y+3, max(end-begin, 0.5), barHeight-6, "c0", d.Labels[i]+": "+texts[i])
		if v < 0 {
			d.Text(begin-6, y+16, "end soft", texts[i])
		} else {
			d.Text(end+6, y+16, "soft", texts[i])
		}
	}
	if low < 0 {
		d.Segment(x(0), d.y, x(0), d.y+float64(d.rows*barHeight), "axis")
	}
	d.y += float64(d.rows * barHeight)
}

// legend draws the names of the series with their colours, and returns the height.
func (d *drawing) legend(p *Panel, draw bool) float64 {
	x, y := d.margin, 0.0
	for i, s := range p.Series {
		name := svg.Cut(s.Name, d.width-2*d.margin-20)
		if width := svg.Width(name) + 34; x > d.margin && x+width > d.width-d.margin {
			x, y = d.margin, y+20
		}
		if draw {
			d.Rect(x, d.y+y+2, 12, 12, class(i), "")
			d.Text(x+18, d.y+y+13, "", name)
		}
		x += svg.Width(name) + 34
	}
	return y + 24
}

func class(series int) string { return fmt.Sprintf("c%d", series) }

// plot draws lines or a histogram above an axis.
func (d *drawing) plot(p *Panel) {
	ticks := p.ticks(d.Form, 4)
	texts := tickTexts(ticks)
	left := 0.0
	for _, t := range texts {
		left = max(left, svg.Width(t)+6)
	}
	left += d.margin + 6
	low, high := ticks[0], ticks[len(ticks)-1]
	top, bottom, right := d.y, d.y+plotHeight, d.width-d.margin
	y := func(v float64) float64 { return bottom - (bottom-top)*(v-low)/(high-low) }
	for i, t := range ticks {
		style := "grid"
		if t == 0 {
			style = "axis"
		}
		d.Segment(left, y(t), right, y(t), style)
		d.Text(left-8, y(t)+4, "end soft", texts[i])
	}
	if d.Form == Histogram {
		d.bins(p, left, right, y)
	} else {
		d.lines(p, left, right, y)
	}
	d.y = bottom + axisHeight
}

// label writes a text below the axis, within the drawing.
func (d *drawing) label(x float64, text string) {
	half := svg.Width(text) / 2
	d.Text(min(max(x, half+4), d.width-half-4), d.y+plotHeight+18, "mid soft", text)
}

func (d *drawing) lines(p *Panel, left, right float64, y func(float64) float64) {
	first, last := d.span()
	x := func(at float64) float64 {
		if last <= first {
			return (left + right) / 2
		}
		return left + (right-left)*(at-first)/(last-first)
	}
	for _, m := range times(first, last, max(int((right-left)/80), 1)) {
		d.Segment(x(m.at), d.y+plotHeight, x(m.at), d.y+plotHeight+4, "grid")
		d.label(x(m.at), m.text)
	}
	for i := range p.Series {
		s := &p.Series[i]
		texts := s.figures()
		var path strings.Builder
		step := "M"
		for j, v := range s.Values {
			if !drawn(v) {
				step = "M"
				continue
			}
			fmt.Fprintf(&path, "%s%.1f %.1f", step, x(s.At[j]), y(v))
			step = "L"
		}
		d.Linef(`<path d="%s" class="line c%d"/>`, path.String(), i)
		for j, v := range s.Values {
			alone := (j == 0 || !drawn(s.Values[j-1])) && (j+1 == len(s.Values) || !drawn(s.Values[j+1]))
			if drawn(v) && (alone || len(s.Values) <= dotsMax) {
				d.Dot(x(s.At[j]), y(v), 3, class(i), strings.TrimPrefix(s.Name+", ", ", ")+when(s.At[j])+": "+texts[j])
			}
		}
	}
}

// bins draws a column for each bin; that of null stands apart.
func (d *drawing) bins(p *Panel, left, right float64, y func(float64) float64) {
	s := &p.Series[0]
	texts := s.figures()
	n, places := len(d.Edges), float64(len(d.Edges))
	if math.IsNaN(d.Edges[n-1]) {
		places++
		n--
	}
	width := (right - left) / places
	every := 1
	for _, label := range d.Labels {
		for float64(every)*width < svg.Width(label)+14 {
			every += max(1, every/2)
		}
	}
	for i, v := range s.Values {
		x, says := left+width*float64(i), d.Labels[i]
		switch {
		case i >= n:
			x += width
			d.label(x+width/2, says)
		case int(math.Round(d.Edges[i]/d.Step))%every != 0:
		case d.Step == 1:
			d.label(x+width/2, says)
		default:
			d.label(x, says)
		}
		if drawn(v) && v != 0 {
			space := min(width*0.1, 2)
			d.Rect(x+space/2, y(max(v, 0)), width-space, math.Abs(y(v)-y(0)), "c0", says+": "+texts[i])
		}
	}
}

// palette are the colours of series, in light and in dark.
var palette = [seriesMax][2]string{{"#3b6fb6", "#6f9fe0"}, {"#c2571a", "#f0965a"}, {"#0f7b5f", "#3fb68f"},
	{"#8b4fb3", "#c292e6"}, {"#a67c00", "#d9b23c"}, {"#1f8a99", "#58c7d6"}, {"#4c7a1d", "#9ccc65"}, {"#5b6472", "#aab2bf"}}

func lightRules() string {
	return colours(0) + ".line { fill: none; stroke-width: 1.8; stroke-linejoin: round }\n"
}

func darkRules() string { return colours(1) }

func colours(scheme int) string {
	var b strings.Builder
	for i, c := range palette {
		fmt.Fprintf(&b, ".c%d { fill: %s } .line.c%[1]d { fill: none; stroke: %[2]s }\n", i, c[scheme])
	}
	return b.String()
}
