package limits

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/thresh-dev/thresh/internal/quantile"
)

// Text returns the figures as an aligned table for humans, with their age at the time now. A line
// has a figure, its spread and a remark.
func (c *Ceilings) Text(now time.Time) string {
	var text strings.Builder
	fmt.Fprintln(&text, c.machine())
	fmt.Fprintf(&text, "measured %s\n", age(now.Sub(c.Taken)))
	if c.Busy != "" {
		fmt.Fprintf(&text, "the machine was busy: %s; better figures from before are kept\n", c.Busy)
	}
	if c.StaleReason != "" {
		fmt.Fprintf(&text, "stale: %s\n", c.StaleReason)
	}
	fmt.Fprintln(&text)
	// A strings.Builder never fails, so neither do the writes to the table and its flush.
	table := tabwriter.NewWriter(&text, 0, 8, 2, ' ', 0)
	for _, r := range c.rows() {
		value, spread := "-", ""
		if r.figure.Samples > 0 {
			value = r.figure.String()
			spread = fmt.Sprintf("± %.0f %%", 50*r.figure.Spread)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", r.title, value, spread, c.remark(r, now))
	}
	_ = table.Flush()
	return trimLines(text.String())
}

// remark returns what a reader should know about a figure.
func (c *Ceilings) remark(r row, now time.Time) string {
	switch {
	case r.figure.Samples == 0:
		return c.Absent[r.key]
	case !r.figure.Taken.IsZero():
		return "measured " + age(now.Sub(r.figure.Taken))
	case r.figure.Noisy:
		return "noisy"
	case r.figure == &c.FaultSmall:
		return fmt.Sprintf("maps %.0f KiB", c.FaultSmallBytes/1024)
	case r.figure == &c.DirectRead && c.DirectDepth > 0:
		return fmt.Sprintf("%d of %d KiB in flight", c.DirectDepth, c.DirectBlockBytes>>10)
	case r.key == fmt.Sprintf("opens_%d", c.BestOpeners()):
		return "best"
	}
	return ""
}

func (c *Ceilings) machine() string {
	id := c.Identity
	var parts []string
	add := func(known bool, format string, args ...any) {
		if known {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(id.CPU != "", "%s", id.CPU)
	add(true, "%d CPUs, %d workers", id.CPUs, id.MaxProcs)
	add(id.QuotaCPUs > 0, "quota %s", Number(id.QuotaCPUs))
	add(id.MemoryGiB > 0, "%d GiB", id.MemoryGiB)
	add(true, "%s %s", id.System, id.Kernel)
	add(id.Device != "", "device %s", id.Device)
	return strings.TrimSpace(strings.Join(parts, ", "))
}

func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < 2*time.Minute:
		return "a minute ago"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d hours ago", d/time.Hour)
	}
	return fmt.Sprintf("%d days ago", d/(24*time.Hour))
}

func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}

// Figure is the result of repeated measurements.
type Figure struct {
	Median  float64 `json:"median"`
	Spread  float64 `json:"spread"` // from the 10th to the 90th percentile, as a fraction of the median
	Unit    string  `json:"unit"`   // GB/s (10^9 bytes), ns, or files/s
	Samples int     `json:"samples"`
	Noisy   bool    `json:"noisy,omitzero"` // the spread is too wide to compare a run with the figure
	// Taken is set if the figure is kept from an earlier measurement than the others.
	Taken time.Time `json:"taken,omitzero"`
}

// A figure is noisy above these spreads. A rate is a ceiling that runs are compared with, and noise
// would make them "at 85 %" or "at 110 %" by chance; a cost only has to give the order of magnitude
// of its share.
const (
	noisyRateSpread = 0.25
	noisyCostSpread = 0.5
)

// samplesTrusted is how many samples it takes for a spread to mean anything.
const samplesTrusted = 3

// Usable reports whether a run may be compared with the figure: it was measured and is not noisy.
func (f Figure) Usable() bool { return f.Samples > 0 && !f.Noisy && f.Median > 0 }

// String returns the median with three digits and the unit.
func (f Figure) String() string { return Number(f.Median) + " " + f.Unit }

// Number formats v with three digits, more only for large numbers: 0.123, 12.3, 12345.
func Number(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// figureOf returns the figure of the samples, which it sorts.
func figureOf(unit string, samples []float64) Figure {
	if len(samples) == 0 {
		return Figure{}
	}
	slices.Sort(samples)
	f := Figure{Median: quantile.Of(samples, 0.5), Unit: unit, Samples: len(samples)}
	if f.Median > 0 {
		f.Spread = (quantile.Of(samples, 0.9) - quantile.Of(samples, 0.1)) / f.Median
	}
	widest := noisyRateSpread
	if unit == nanoseconds {
		widest = noisyCostSpread
	}
	f.Noisy = f.Spread > widest || f.Samples < samplesTrusted || f.Median <= 0
	return f
}
