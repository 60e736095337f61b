package report

import (
	"io"

	"github.com/thresh-dev/thresh/internal/output/svg"
	"github.com/thresh-dev/thresh/lab"
)

// rateGroup is a case with the rates of all its sides.
type rateGroup struct {
	name  string
	sides []rateSide
}

type rateSide struct {
	name string
	rate float64 // GB/s
}

// rateGroups returns the headlines that have rates.
func rateGroups(r lab.Results) (groups []rateGroup) {
	rows := rowsByPeer(r)
	last := ""
	for _, h := range headlines {
		row := rows[[2]string{h.rowCase, h.rowPeer}]
		if row.ThreshRate <= 0 || row.PeerRate <= 0 {
			continue
		}
		if h.rowCase != last {
			groups = append(groups, rateGroup{h.name, []rateSide{{"thresh " + h.group, row.ThreshRate}}})
			last = h.rowCase
		}
		g := &groups[len(groups)-1]
		g.sides = append(g.sides, rateSide{h.peer, row.PeerRate})
	}
	return groups
}

// Measures of the picture of rates.
const (
	ratesLeft  = 380 // of the bars
	ratesRight = 780
	barHeight  = 18
	groupGap   = 10
)

// Rates draws the rates of the headlines in GB/s as bars, as SVG: those of thresh, and below each those that were
// measured beside it.
func Rates(w io.Writer, r lab.Results) error {
	groups := rateGroups(r)
	if len(groups) == 0 {
		return errNoHeadlines
	}
	most, bars := 0.0, 0
	for _, g := range groups {
		for _, s := range g.sides {
			most = max(most, s.rate)
			bars++
		}
	}
	height := float64(plotTop + bars*barHeight + len(groups)*groupGap + plotBottom)
	p := picture{svg.New(w)}
	return p.frame(r, height, "GB/s of thresh and of other programs",
		"GB/s, whole processes, of cached files unless it says otherwise", "medians; longer is faster",
		func() { p.bars(groups, most) })
}

func (p picture) bars(groups []rateGroup, most float64) {
	y := float64(plotTop)
	for _, g := range groups {
		p.Text(16, y+13, "", g.name)
		for i, s := range g.sides {
			text, bar := "end soft", "peer"
			if i == 0 {
				text, bar = "end group", "own"
			}
			width := (ratesRight - ratesLeft) * s.rate / most
			p.Text(ratesLeft-10, y+13, text, s.name)
			p.Rect(ratesLeft, y+2, width, barHeight-4, bar, "")
			p.Text(ratesLeft+width+6, y+13, text[4:], digits(s.rate))
			y += barHeight
		}
		y += groupGap
	}
}
