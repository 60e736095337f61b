package command

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/thresh-dev/thresh/internal/output/bytesize"
)

// Progress is how far a scan has come.
type Progress struct {
	Name        string
	Done, Total int64 // bytes; Total is 0 if it is unknown
	Took        time.Duration
	Ended       bool   // the answer is complete
	Waits       string // what for, while nothing moves; "" if that is not known

	moved time.Duration // when Done grew last
}

// stalled reports whether nothing has moved for so long that no one can say how long the rest takes.
func (p *Progress) stalled() bool { return p.Took-p.moved >= stalledAfter && !p.Ended }

// At sets how far the scan has come after some time.
func (p *Progress) At(done int64, took time.Duration) {
	if done != p.Done {
		p.moved = took
	}
	p.Done, p.Took = done, took
}

const (
	gaugeMost  = 24
	gaugeLeast = 8
	nameLeast  = 12

	stalledAfter = 2 * time.Second
)

// Line returns the progress in a line that fits into the columns of a terminal, 0 for any number:
// "disk.img [=====>    ] 52 % 2.1 GiB of 4.0 GiB 1.3 GB/s 2s left". Where it does not fit, the gauge gets shorter, then
// it is left out, then the name is cut.
func (p *Progress) Line(columns int) string {
	rate := float64(p.Done) / max(p.Took.Seconds(), 1e-9)
	text := fmt.Sprintf("%s %s/s", bytesize.Text(p.Done), bytesize.Decimal(rate))
	part := 0.0
	if p.Total > 0 {
		part = min(float64(p.Done)/float64(p.Total), 1)
		percent := int(100 * part)
		if percent == 100 && !p.Ended { // what was read is merged and written
			percent = 99
		}
		text = fmt.Sprintf("%3d %% %s of %s %s/s", percent, bytesize.Text(p.Done), bytesize.Text(p.Total),
			bytesize.Decimal(rate))
		if rate > 0 && !p.stalled() && !p.Ended {
			left := time.Duration(float64(p.Total-p.Done) / rate * float64(time.Second))
			text += fmt.Sprintf(" %s left", max(left, 0).Round(time.Second))
		}
	}
	if p.stalled() && p.Waits != "" {
		text += " waiting for " + p.Waits
	}
	name, width := p.Name, gaugeMost
	if columns > 0 {
		room := columns - 1 - len(" ") - displaywidth.String(text) // the last column may wrap
		if displaywidth.String(name) > room {
			name = filepath.Base(name)
		}
		name = displaywidth.TruncateString(name, max(room, nameLeast), "…")
		width = min(gaugeMost, room-displaywidth.String(name)-len(" [>]"))
	}
	if p.Total > 0 && width >= gaugeLeast {
		full := int(part * float64(width))
		name += " [" + strings.Repeat("=", full) + ">" + strings.Repeat(" ", width-full) + "]"
	}
	line := name + " " + text
	if columns > 0 {
		line = displaywidth.TruncateString(line, columns-1, "…")
	}
	return line
}
