package limits

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
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
