package wallreport

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/wall"
)

// chart is a stacked area chart over time.
type chart struct {
	Title, Unit string
	Series      []series
	Top         string // what the upper edge means
	End         string // what the right edge means
	Paths       []area
}

// series is a quantity of each slot.
type series struct {
	Name, Class string
	of          func(*wall.Slot) float64
}

// area is the outline of a series, in a box of chartWidth × chartHeight.
type area struct {
	Class, Name string
	Path        template.HTMLAttr
}

const (
	chartWidth  = 1000
	chartHeight = 160
)

// charts returns the charts of a report; those without anything to show are left out.
func charts(r wall.Report) []chart {
	perSecond := func(of func(*wall.Slot) float64) func(*wall.Slot) float64 {
		return func(s *wall.Slot) float64 { return max(0, of(s)) / max(s.To-s.From, 1e-9) }
	}
	of := func(name, class string, f func(*wall.Slot) float64) series { return series{name, class, perSecond(f)} }
	cpus := float64(max(r.Machine.CPUs, 1))
	all := []chart{
		draw(r, "What the command did", "of the time", 1, "100 %", []series{
			of("running or waiting for a processor", "one-core", func(s *wall.Slot) float64 { return s.Running }),
			of("storage", "storage", func(s *wall.Slot) float64 { return s.OnStorage }),
			of("memory", "memory", func(s *wall.Slot) float64 { return s.OnMemory }),
			of("a lock", "a-lock", func(s *wall.Slot) float64 { return s.OnLock }),
			of("the network", "the-network", func(s *wall.Slot) float64 { return s.OnNetwork }),
			of("its input", "its-input", func(s *wall.Slot) float64 { return s.OnInput }),
			of("its output", "its-output", func(s *wall.Slot) float64 { return s.OnOutput }),
			of("sleeping", "sleeping", func(s *wall.Slot) float64 { return s.Asleep }),
			of("stopped", "stopped", func(s *wall.Slot) float64 { return s.Stopped }),
			of("not known", "not-known", func(s *wall.Slot) float64 { return s.OnUnknown }),
		}),
		draw(r, "Processors", "busy", cpus, fmt.Sprintf("%d busy", r.Machine.CPUs), []series{
			of("the command's programs", "one-core", func(s *wall.Slot) float64 { return s.User }),
			of("the kernel, for the command", "system-calls", func(s *wall.Slot) float64 { return s.System }),
			of("other programs", "other-programs", func(s *wall.Slot) float64 { return s.OtherCPU }),
		}),
		draw(r, "Storage", "bytes per second", 0, "", []series{
			of("read", "storage", func(s *wall.Slot) float64 { return float64(s.ReadStorage) }),
			of("written", "its-input", func(s *wall.Slot) float64 { return float64(s.WriteStorage) }),
		}),
		draw(r, "Reads and writes", "bytes per second, files, pipes and sockets together", 0, "", []series{
			of("read", "the-network", func(s *wall.Slot) float64 { return float64(s.ReadChars) }),
			of("written", "its-output", func(s *wall.Slot) float64 { return float64(s.WriteChars) }),
		}),
		draw(r, "Connections", "waited for, of the time", 1, "100 %", connections(r, of)),
		draw(r, "Processes", "at once", 0, "", []series{
			{"processes", "starting-processes", func(s *wall.Slot) float64 { return float64(s.ProcessesMax) }},
			{"more threads", "a-lock", func(s *wall.Slot) float64 { return float64(max(0, s.ThreadsMax-s.ProcessesMax)) }},
		}),
	}
	kept := all[:0]
	for _, c := range all {
		if len(c.Series) > 0 {
			kept = append(kept, c)
		}
	}
	return kept
}

// connections returns the connections that were waited for longest, the others as one.
func connections(r wall.Report, of func(string, string, func(*wall.Slot) float64) series) (list []series) {
	colours := []string{"the-network", "its-input", "storage", "system-calls"}
	names := slices.SortedFunc(maps.Keys(r.Evidence.Connections), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.Evidence.Connections[b], r.Evidence.Connections[a]), cmp.Compare(a, b))
	})
	shown := names[:min(len(names), len(colours))]
	for i, name := range shown {
		list = append(list, of(name, colours[i], func(s *wall.Slot) float64 { return s.Connections[name] }))
	}
	if others := names[len(shown):]; len(others) > 0 {
		list = append(list, of(fmt.Sprintf("%d more", len(others)), "sleeping", func(s *wall.Slot) (sum float64) {
			for _, name := range others {
				sum += s.Connections[name]
			}
			return sum
		}))
	}
	return list
}

// draw draws a chart. With a top of 0 the highest sum is the upper edge. Series that are 0 everywhere
// are left out.
func draw(r wall.Report, title, unit string, top float64, topText string, all []series) chart {
	c := chart{Title: title, Unit: unit, Top: topText, End: seconds(r.Evidence.Seconds)}
	sums := make([]float64, len(r.Timeline))
	var lows, highs [][]float64
	for _, s := range all {
		low, high := append([]float64(nil), sums...), make([]float64, len(sums))
		something := false
		for i := range r.Timeline {
			v := s.of(&r.Timeline[i])
			something = something || v > 0
			sums[i] += v
			high[i] = sums[i]
		}
		if something {
			c.Series = append(c.Series, s)
			lows, highs = append(lows, low), append(highs, high)
		}
	}
	if top == 0 {
		for _, v := range sums {
			top = max(top, v)
		}
		c.Top = bytesize.Decimal(top)
		if unit == "at once" {
			c.Top = fmt.Sprintf("%.0f", top)
		}
	}
	for k, s := range c.Series {
		c.Paths = append(c.Paths, area{s.Class, s.Name, outline(r.Timeline, lows[k], highs[k], max(top, 1e-9))})
	}
	return c
}

// outline goes along the upper edge of a series in steps, and back along the lower one.
func outline(slots []wall.Slot, low, high []float64, top float64) template.HTMLAttr {
	total := max(slots[len(slots)-1].To, 1e-9)
	x := func(t float64) float64 { return chartWidth * t / total }
	y := func(v float64) float64 { return chartHeight * (1 - min(1, v/top)) }
	var b strings.Builder
	step := "M"
	for i, s := range slots {
		fmt.Fprintf(&b, "%s%.1f %.1fH%.1f", step, x(s.From), y(high[i]), x(s.To))
		step = "L"
	}
	for i := len(slots) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "L%.1f %.1fH%.1f", x(slots[i].To), y(low[i]), x(slots[i].From))
	}
	return template.HTMLAttr(`d="` + b.String() + `Z"`) // numbers only
}
