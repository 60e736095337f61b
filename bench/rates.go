package main

import (
	"fmt"
	"html"
	"io"
)

// rateGroup is a case of the report with the rates of all its sides.
type rateGroup struct {
	name  string
	sides []rateSide
}

type rateSide struct {
	name string
	rate float64 // GB/s
}

// rateGroups returns the headlines of which the report has rates.
func rateGroups(r *report) (groups []rateGroup) {
	rows := map[[2]string]row{}
	for _, row := range r.Rows {
		if row.ThreshRate > 0 && row.PeerRate > 0 {
			rows[[2]string{row.Case, row.Peer}] = row
		}
	}
	last := ""
	for _, h := range headlines {
		row, ok := rows[[2]string{h.rowCase, h.rowPeer}]
		if !ok {
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

// Measures of the plot of rates, in pixels.
const (
	ratesLeft  = 380 // of the bars
	ratesRight = 780
	barHeight  = 18
	groupGap   = 10
)

// plotRates draws the rates of the headlines in GB/s as bars, as SVG: those of thresh, and below each those
// that were measured beside it.
func plotRates(w io.Writer, r *report) error {
	groups := rateGroups(r)
	if len(groups) == 0 {
		return fmt.Errorf("the report of %s has no rates that the plot shows", r.Date.Format("2006-01-02"))
	}
	most, bars := 0.0, 0
	for _, g := range groups {
		for _, s := range g.sides {
			most = max(most, s.rate)
			bars++
		}
	}
	height := plotTop + bars*barHeight + len(groups)*groupGap + plotBottom
	day := r.Date.UTC().Format("2006-01-02")
	p := &printer{w: w}
	p.f(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="title">`,
		plotWidth, height)
	p.f(`<title id="title">GB/s of thresh and of other programs, %s</title>`, day)
	p.f("%s", plotStyle)
	p.f(`<style>.own { fill: #0b6e99 } .peer { fill: #afb8c1 }
@media (prefers-color-scheme: dark) { .own { fill: #58b7e0 } .peer { fill: #545d68 } }</style>`)
	p.f(`<text x="16" y="26" class="head">GB/s, whole processes, of cached files unless it says otherwise</text>`)
	p.f(`<text x="16" y="45" class="soft">medians; longer is faster</text>`)
	y := plotTop
	for _, g := range groups {
		p.f(`<text x="16" y="%d">%s</text>`, y+13, html.EscapeString(g.name))
		for i, s := range g.sides {
			text, bar := "end soft", "peer"
			if i == 0 {
				text, bar = "end group", "own"
			}
			width := (ratesRight - ratesLeft) * s.rate / most
			p.f(`<text x="%d" y="%d" class="%s">%s</text>`, ratesLeft-10, y+13, text, html.EscapeString(s.name))
			p.f(`<rect x="%d" y="%d" width="%.1f" height="%d" class="%s"/>`, ratesLeft, y+2, width, barHeight-4, bar)
			p.f(`<text x="%.1f" y="%d" class="%s">%s</text>`, ratesLeft+width+6, y+13, text[4:], gigabytes(s.rate))
			y += barHeight
		}
		y += groupGap
	}
	machine := fmt.Sprintf("%s processors, %s, %s, %s of memory", r.Machine["processors"], r.Machine["model"],
		r.Machine["kernel"], r.Machine["memory"])
	p.f(`<text x="16" y="%d" class="soft">%s, %s</text>`, height-14, day, html.EscapeString(machine))
	p.f(`</svg>`)
	return p.err
}

// gigabytes prints a rate with about three digits.
func gigabytes(v float64) string {
	if v >= 10 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
