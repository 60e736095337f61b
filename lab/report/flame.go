package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/lab"
)

// flame is a flame graph: a frame for each place in the tree of calls, as wide as its share of the samples.
type flame struct {
	// Frames has four numbers for each: its name's index in the page's list, depth, first sample, samples.
	Frames []int64 `json:"frames"`
	Total  int64   `json:"total"`
	Depth  int     `json:"depth"`
}

// call is a node of the tree of calls.
type call struct {
	name    string
	samples int64
	calls   map[string]*call
}

// foldedTree makes a tree of folded stacks: functions from the outermost on, with semicolons between them.
func foldedTree(folded map[string]int64) *call {
	root := &call{name: "all", calls: map[string]*call{}}
	for _, stack := range sortedKeys(folded) {
		samples := folded[stack]
		if samples <= 0 {
			continue
		}
		at := root
		at.samples += samples
		for frame := range strings.SplitSeq(stack, ";") {
			next := at.calls[frame]
			if next == nil {
				next = &call{name: frame, calls: map[string]*call{}}
				at.calls[frame] = next
			}
			next.samples += samples
			at = next
		}
	}
	return root
}

// names numbers the functions of all flame graphs of a page.
type names struct {
	List  []string
	index map[string]int64
}

func (n *names) of(name string) int64 {
	i, known := n.index[name]
	if !known {
		i = int64(len(n.List))
		if n.index == nil {
			n.index = map[string]int64{}
		}
		n.List, n.index[name] = append(n.List, name), i
	}
	return i
}

// makeFlame lays the tree out. Frames with fewer samples than least are left out; the gap shows.
func (n *names) makeFlame(root *call, least int64) *flame {
	f := &flame{Total: root.samples}
	var place func(c *call, depth int, first int64)
	place = func(c *call, depth int, first int64) {
		f.Frames = append(f.Frames, n.of(c.name), int64(depth), first, c.samples)
		f.Depth = max(f.Depth, depth+1)
		for _, name := range sortedKeys(c.calls) {
			if next := c.calls[name]; next.samples >= least {
				place(next, depth+1, first)
				first += next.samples
			}
		}
	}
	place(root, 0, 0)
	return f
}

// bytes is what the frames that have at least so many samples take in a page; seen has the names that it
// has already.
func (c *call) bytes(least int64, seen map[string]bool) int {
	bytes := frameBytes
	if !seen[c.name] {
		seen[c.name] = true
		bytes += len(c.name) + nameBytes
	}
	for _, next := range c.calls {
		if next.samples >= least {
			bytes += next.bytes(least, seen)
		}
	}
	return bytes
}

// flameBytesMax bounds the flame graphs of a page, with the names of their functions. The rest of a page is
// about a million bytes, most of them the chart library's, and all of it shall stay below two.
const flameBytesMax = 700_000

// What a frame and a name take in the page, without the name itself: four numbers, and quotes.
const (
	frameBytes = 20
	nameBytes  = 3
)

// profiled is a measurement with a profile, and its tree.
type profiled struct {
	measurement *lab.Measurement
	root        *call
}

// profiles returns an experiment's measurements with a profile, in the order of its variants.
func profiles(e *lab.Experiment, r lab.Results) []profiled {
	var found []profiled
	for _, v := range e.Variants {
		for i := range r.Measurements {
			if m := &r.Measurements[i]; m.Variant == v.ID && m.Profile != nil {
				found = append(found, profiled{m, foldedTree(m.Profile.Folded)})
			}
		}
	}
	return found
}

// leastShare is the share of samples below which frames are left out, so that a page needs no more bytes
// than most for its flame graphs.
func leastShare(all []profiled, most int) float64 {
	for share := 0.001; ; share *= 2 {
		bytes, seen := 0, map[string]bool{}
		for _, p := range all {
			bytes += p.root.bytes(leastSamples(p.root, share), seen)
		}
		if bytes <= most || share > 1 {
			return share
		}
	}
}

func leastSamples(root *call, share float64) int64 { return int64(share * float64(root.samples)) }

// flameChart is the flame graph of a profile.
func (n *names) flameChart(p profiled, share float64) chart {
	return chart{
		Kind:  "flame",
		Title: "Flame graph of " + p.title(),
		Unit:  "samples",
		Flame: n.makeFlame(p.root, leastSamples(p.root, share)),
	}
}

func (p profiled) title() string {
	return join(p.measurement.Variant, settingText(p.measurement.Setting))
}

// source says how a profile was taken, and what part of it is the kernel's.
func (p profiled) source() string {
	profile, total := p.measurement.Profile, p.root.samples
	s := fmt.Sprintf("%s by %s.", numeral.CountGrouped(int(total), "sample"), profile.Source)
	switch {
	case total == 0:
		s = "No sample was taken by " + profile.Source + ": the runs were too short, or only waited."
	case profile.Note == "":
		return s + fmt.Sprintf(" %.0f %% of them are in the kernel.", 100*float64(p.root.inKernel())/float64(total))
	}
	if profile.Note != "" {
		s += " Time in the kernel counts for the function that called it, and other programs are not seen: " +
			profile.Note + "."
	}
	return s
}

// inKernel counts the samples that were taken in a function of the kernel.
func (c *call) inKernel() int64 {
	if strings.HasSuffix(c.name, lab.KernelMark) {
		return c.samples
	}
	var samples int64
	for _, next := range c.calls {
		samples += next.inKernel()
	}
	return samples
}

// topTable has the functions in which most samples were taken.
func (p profiled) topTable() table {
	const most = 5
	self := map[string]int64{}
	var visit func(c *call)
	visit = func(c *call) {
		own := c.samples
		for _, next := range c.calls {
			own -= next.samples
			visit(next)
		}
		self[c.name] += own
	}
	visit(p.root)
	order := sortedKeys(self)
	slices.SortStableFunc(order, func(a, b string) int { return int(min(1, max(-1, self[b]-self[a]))) })
	t := table{Caption: "Where the time went", Columns: []column{{"function itself", false}, {"share", true}}}
	for _, name := range order[:min(most, len(order))] {
		if self[name] > 0 {
			share := 100 * float64(self[name]) / float64(p.root.samples)
			c := value(share)
			c.Text = fmt.Sprintf("%.1f %%", share)
			t.Rows = append(t.Rows, tableRow{Cells: []cell{text(name), c}})
		}
	}
	return t
}

// executionTable shows how the goroutines of variants were scheduled, from execution traces.
func executionTable(all []profiled) table {
	t := table{
		Caption: "Goroutines and garbage collection, from execution traces",
		Columns: columns("variant|#seconds|#goroutines started|#most at once|#running, on average|" +
			"#wait for a processor, median µs|#99th percentile µs|#longest µs|#garbage collections|" +
			"#garbage collection, % of running time|#world stopped, ms"),
	}
	for _, p := range all {
		x := p.measurement.Profile.Execution
		if x == nil {
			continue
		}
		name := cell{Text: p.title(), Small: filepath.Base(x.File)}
		t.Rows = append(t.Rows, tableRow{Cells: append([]cell{name}, executed(x)...)})
	}
	return t
}

// executed has the figures of a trace.
func executed(x *lab.Execution) []cell {
	const micro, milli, percent = 1e6, 1e3, 100
	var cells []cell
	for _, v := range []float64{
		x.Seconds, float64(x.Goroutines), float64(x.GoroutinesMost), x.Running,
		micro * x.WaitMedian, micro * x.Wait99, micro * x.WaitMax,
		float64(x.GCs), percent * x.GCShare, milli * x.Pauses,
	} {
		cells = append(cells, value(v))
	}
	return cells
}
