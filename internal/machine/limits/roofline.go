package limits

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/thresh-dev/thresh/internal/output/svg"
)

// Measures of the drawing, in pixels.
const (
	roofWidth  = 860
	roofLeft   = 64
	roofRight  = 600 // the names of the roofs are to the right
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
	d := &drawing{Picture: svg.New(w), low: low, high: high}
	d.Begin(roofWidth, float64(listTop+listHeight*max(1, len(runs))+24), "The limits of this machine, and the last runs",
		roofLight, roofDark)
	d.Text(16, 26, "head", "What this machine can do, and what the last runs did")
	d.Text(16, 46, "soft", c.machine()+"; measured "+age(now.Sub(c.Taken)))
	d.axes()
	d.Segment(d.x(low), d.y(low), d.x(high), d.y(high), "roof")
	d.roofs(roofs)
	d.runs(runs, now)
	return d.End()
}

// drawing is a picture on scales of logarithms.
type drawing struct {
	*svg.Picture
	low, high float64 // GB/s, of both axes
}

func (d *drawing) along(v float64) float64 {
	return min(1, max(0, math.Log(v/d.low)/math.Log(d.high/d.low)))
}

func (d *drawing) x(v float64) float64 { return roofLeft + (roofRight-roofLeft)*d.along(v) }
func (d *drawing) y(v float64) float64 { return roofBottom - (roofBottom-roofTop)*d.along(v) }

func (d *drawing) axes() {
	for v := d.low; v < d.high*1.01; v *= 10 {
		d.Segment(d.x(v), roofTop, d.x(v), roofBottom, "grid")
		d.Segment(roofLeft, d.y(v), roofRight, d.y(v), "grid")
		d.Text(d.x(v), roofBottom+18, "soft mid", axisText(v))
		d.Text(roofLeft-8, d.y(v)+4, "soft end", axisText(v))
	}
	d.Text(roofRight, roofBottom+38, "soft end", "kernel function on bytes in the cache, GB/s")
	d.Text(16, roofTop-12, "soft", "run, GB/s")
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
		d.Segment(d.x(r.figure.Median), y, roofRight, y, class)
		above = max(above+lineHeight, y+4)
		d.Text(roofRight+10, above, "", r.name)
		d.Text(roofWidth-16, above, "soft end", fmt.Sprint(r.figure))
	}
}

// runs draws the runs as numbered dots, and lists them below.
func (d *drawing) runs(runs []Run, now time.Time) {
	if len(runs) == 0 {
		d.Text(16, listTop, "soft", "No runs yet: those that print a receipt are drawn here.")
	}
	for i, r := range runs {
		y := float64(listTop + listHeight*i)
		text := fmt.Sprintf("%s, kernel %s: %s GB/s of %s on bytes in the cache; wall: %s",
			r.Question, r.Kernel, Number(r.Rate), Number(r.Function), r.Wall)
		number := strconv.Itoa(i + 1)
		d.Dot(d.x(r.Function), d.y(r.Rate), 9, "dot", text)
		d.Text(d.x(r.Function), d.y(r.Rate)+4, "number", number)
		d.Text(40, y, "end", number)
		d.Text(52, y, "", text)
		d.Text(roofWidth-16, y, "soft end", age(now.Sub(r.Taken)))
	}
}

// The colours of the drawing that others do not have, in light and in dark.
const (
	roofLight = `.number { text-anchor: middle; font-size: 11px; font-weight: 600; fill: #fff; pointer-events: none }
.roof { stroke: #b35900; stroke-width: 1.8 }
.noisy { stroke-dasharray: 5 4 }`
	roofDark = ".number { fill: #0d1117 }\n.roof { stroke: #f0a35e }"
)
