package receipt

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/internal/output/bytesize"
)

// Line returns the receipt as one line for people.
func (r Receipt) Line() string {
	line := r.amount()
	if r.Verdict != "" {
		line += ": " + r.Verdict
	}
	for _, note := range []string{r.Memory, r.Next} {
		if note != "" {
			line += "; " + note
		}
	}
	return line
}

// amount says how much was read, and how fast.
func (r Receipt) amount() string {
	text := fmt.Sprintf("%s in %.3f s, %.2f GB/s", bytesize.Precise(r.Bytes), r.Seconds, r.BytesPerSecond/1e9)
	if r.Skipped > 0 {
		text += fmt.Sprintf(" (and %s of holes skipped)", bytesize.Precise(r.Skipped))
	}
	return text
}

// Bar returns a bar of the parts with so many cells, each part in a shade of its own: the largest full, the next ones
// lighter, what is left of the smallest blank. Shades are from dark to light. It is "" for a run without parts,
// and for less than one cell.
func (r Receipt) Bar(cells int, shades string) string {
	if len(r.Parts) == 0 || cells < 1 {
		return ""
	}
	var b strings.Builder
	sum, filled := 0.0, 0
	for i, shade := range []rune(shades) {
		if i < len(r.Parts) {
			sum += r.Parts[i].Share
		}
		until := min(cells, int(sum*float64(cells)+0.5))
		b.WriteString(strings.Repeat(string(shade), until-filled))
		filled = until
	}
	return b.String() + strings.Repeat(" ", cells-filled)
}

// Full returns all that the receipt says, as lines with titles.
func (r Receipt) Full() string {
	var b strings.Builder
	line := func(title, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s "+format+"\n", append([]any{title}, args...)...)
	}
	line("read:", "%s", r.amount())
	if len(r.Parts) > 0 {
		workers := int(r.WorkerSeconds/max(r.Seconds, 1e-9) + 0.5)
		line("time:", "%.3g s of workers, %d × %.3f s", r.WorkerSeconds, workers, r.Seconds)
	}
	for _, p := range r.Parts {
		line("", "%5.1f %%  %s (%.0f to %.0f %%)", 100*p.Share, p.Wall, 100*p.Low, 100*p.High)
		for _, s := range p.Stages {
			line("", "  %5.1f %%  %s", 100*s.Share, s.Name)
		}
	}
	line("wall:", "%s", r.Verdict)
	if r.Lever != "" {
		line("lever:", "%s", r.Lever)
	}
	if r.PeakBytes > 0 {
		line("memory:", "%s of its own at most, of %s allowed", bytesize.Precise(r.PeakBytes), bytesize.Precise(r.BoundBytes))
	}
	if r.MemoryShare != nil {
		line("storage:", "%s fetched from it, so %s of the bytes came from memory", bytesize.Precise(r.StorageBytes),
			percent(*r.MemoryShare))
	} else if r.StorageBytes > 0 {
		line("storage:", "%s fetched from it", bytesize.Precise(r.StorageBytes))
	}
	if r.TempBytes > 0 {
		line("written:", "%s, of that %s to temporary files", bytesize.Precise(r.WrittenBytes), bytesize.Precise(r.TempBytes))
	} else if r.WrittenBytes > 0 {
		line("written:", "%s of results and temporary files", bytesize.Precise(r.WrittenBytes))
	}
	for _, e := range r.Engines {
		line("engine:", "%s, %d workers, %s", e.Engine, e.Workers, bytesize.Precise(e.Bytes))
	}
	kernel := r.Kernel
	if r.KernelBytesPerSecond > 0 {
		kernel += fmt.Sprintf(", %.2f GB/s a worker on cached bytes", r.KernelBytesPerSecond/1e9)
	}
	line("kernel:", "%s", kernel)
	for _, why := range r.Plan {
		line("plan:", "%s", why)
	}
	for _, e := range r.Evidence {
		line("evidence:", "%s", e)
	}
	for _, note := range []string{r.Memory, r.Next} {
		if note != "" {
			line("note:", "%s", note)
		}
	}
	return b.String()
}
