package limits

import (
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"time"
)

// Measures of the drawing, in pixels.
const (
	roofWidth  = 860
	roofLeft   = 64
	roofRight  = 620 // the names of the roofs are to the right
	roofTop    = 88
	roofBottom = 448
	listTop    = roofBottom + 64
	listHeight = 20
)

// roof is a limit of the machine that no run passes, drawn as a line.
type roof struct {
	name   string
	figure Figure
}

// Roofline draws the machine as SVG, on scales of logarithms: to the right, how fast a kernel function is on bytes in
// the cache, upwards, how fast a run was. No run is above the diagonal, where the function is the wall, or above the
// roof of the place where its bytes were: memory, the page cache, storage. A run far below both had another wall.
// The drawing has colours for light and for dark pages.
func (c *Ceilings) Roofline(w io.Writer, runs []Run, now time.Time) error {
	roofs := []roof{
		{"memory, all workers", c.MemoryAll}, {"memory, one worker", c.MemoryOne},
		{"page cache mapped, all", c.MappedAll}, {"page cache copied, all", c.CopyAll},
		{"storage, direct", c.DirectRead}, {"storage, buffered", c.ColdRead},
	}
	low, high := 0.1, 100.0
	reach := func(v float64) {
		for v > 0 && v < low {
			low /= 10
		}
		for v > high {
			high *= 10
		}
	}
	for _, r := range roofs {
		reach(r.figure.Median)
	}
	for _, r := range runs {
		reach(r.Rate)
		reach(r.Function)
	}
	d := &drawing{w: w, low: low, high: high}
	d.f(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="title">`,
		roofWidth, listTop+listHeight*max(1, len(runs))+24)
	d.f(`<title id="title">The limits of this machine, and the last runs</title>%s`, roofStyle)
	d.f(`<text x="16" y="26" class="head">What this machine can do, and what the last runs did</text>`)
	d.f(`<text x="16" y="46" class="soft">%s; measured %s</text>`, html.EscapeString(c.machine()), age(now.Sub(c.Taken)))
	d.axes()
	d.f(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="roof"/>`, d.x(low), d.y(low), d.x(high), d.y(high))
	d.roofs(roofs)
	d.runs(runs, now)
	d.f(`</svg>`)
	return d.err
}

// drawing prints elements and keeps the first error.
type drawing struct {
	w         io.Writer
	low, high float64 // GB/s, of both axes
	err       error
}

func (d *drawing) f(format string, args ...any) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.w, format+"\n", args...)
	}
}

func (d *drawing) along(v float64) float64 {
	return min(1, max(0, math.Log(v/d.low)/math.Log(d.high/d.low)))
}

func (d *drawing) x(v float64) float64 { return roofLeft + (roofRight-roofLeft)*d.along(v) }
func (d *drawing) y(v float64) float64 { return roofBottom - (roofBottom-roofTop)*d.along(v) }

func (d *drawing) axes() {
	for v := d.low; v < d.high*1.01; v *= 10 {
		d.f(`<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" class="grid"/>`, d.x(v), roofTop, d.x(v), roofBottom)
		d.f(`<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" class="grid"/>`, roofLeft, d.y(v), roofRight, d.y(v))
		d.f(`<text x="%.1f" y="%d" class="soft mid">%s</text>`, d.x(v), roofBottom+18, axisText(v))
		d.f(`<text x="%d" y="%.1f" class="soft end">%s</text>`, roofLeft-8, d.y(v)+4, axisText(v))
	}
	d.f(`<text x="%d" y="%d" class="soft end">kernel function on bytes in the cache, GB/s</text>`,
		roofRight, roofBottom+38)
	d.f(`<text x="16" y="%d" class="soft">run, GB/s</text>`, roofTop-12)
}

// axisText prints a power of ten.
func axisText(v float64) string {
	return strconv.FormatFloat(v, 'f', max(0, -int(math.Round(math.Log10(v)))), 64)
}

// roofs draws the limits, and their names beside the right end, one below the other.
func (d *drawing) roofs(roofs []roof) {
	const lineHeight = 15
	above := float64(roofTop - lineHeight)
	for {
		// The highest of those that are left comes next.
		at := -1
		for i, r := range roofs {
			if r.figure.Samples > 0 && r.figure.Median > 0 && (at < 0 || r.figure.Median > roofs[at].figure.Median) {
				at = i
			}
		}
		if at < 0 {
			return
		}
		r := roofs[at]
		roofs = append(roofs[:at:at], roofs[at+1:]...)
		y, class := d.y(r.figure.Median), "roof"
		if r.figure.Noisy {
			class = "roof noisy"
		}
		d.f(`<line x1="%.1f" y1="%.1f" x2="%d" y2="%.1f" class="%s"/>`, d.x(r.figure.Median), y, roofRight, y, class)
		above = max(above+lineHeight, y+4)
		d.f(`<text x="%d" y="%.1f">%s</text>`, roofRight+10, above, html.EscapeString(r.name))
		d.f(`<text x="%d" y="%.1f" class="soft end">%s</text>`, roofWidth-16, above, r.figure)
	}
}

// runs draws the runs as numbered dots, and lists them below.
func (d *drawing) runs(runs []Run, now time.Time) {
	if len(runs) == 0 {
		d.f(`<text x="16" y="%d" class="soft">No runs yet: those that print a receipt are drawn here.</text>`, listTop)
	}
	for i, r := range runs {
		y := listTop + listHeight*i
		text := fmt.Sprintf("%s, kernel %s: %s GB/s of %s on bytes in the cache; wall: %s",
			r.Question, r.Kernel, Number(r.Rate), Number(r.Function), r.Wall)
		d.f(`<g><title>%s</title>`, html.EscapeString(text))
		d.f(`<circle cx="%.1f" cy="%.1f" r="9" class="dot"/>`, d.x(r.Function), d.y(r.Rate))
		d.f(`<text x="%.1f" y="%.1f" class="number">%d</text></g>`, d.x(r.Function), d.y(r.Rate)+4, i+1)
		d.f(`<text x="40" y="%d" class="end">%d</text>`, y, i+1)
		d.f(`<text x="52" y="%d">%s</text>`, y, html.EscapeString(text))
		d.f(`<text x="%d" y="%d" class="soft end">%s</text>`, roofWidth-16, y, age(now.Sub(r.Taken)))
	}
}

// roofStyle has no background: the page's shows through.
const roofStyle = `<style>
text { font: 12.5px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
.head { font-size: 16px; font-weight: 600 }
.soft { fill: #59636e }
.mid { text-anchor: middle }
.end { text-anchor: end }
.number { text-anchor: middle; font-size: 11px; font-weight: 600; fill: #fff }
.grid { stroke: #d1d9e0; stroke-width: 1 }
.roof { stroke: #b35900; stroke-width: 1.8 }
.noisy { stroke-dasharray: 5 4 }
.dot { fill: #0b6e99; fill-opacity: .9 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
.soft { fill: #9198a1 }
.number { fill: #0d1117 }
.grid { stroke: #3d444d }
.roof { stroke: #f0a35e }
.dot { fill: #58b7e0 }
}
</style>`
