package versus

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/quantile"
	"github.com/thresh-dev/thresh/lab"
)

// measureBytes is the size for which situations are written down; --size scales them.
const measureBytes = 1_000_000_000

// what says what is asked about what.
func (s *situation) what() string {
	var asks []string
	for _, q := range s.asks {
		asks = append(asks, q.name)
	}
	input := s.lie.String()
	if s.shm {
		input = "tmpfs"
	}
	if s.files > 0 {
		input = fmt.Sprintf("%d files, %s", s.files, input)
	}
	return input + ": " + strings.Join(asks, ", ")
}

// newSituation summarizes the samples. The first side is auto.
func newSituation(s *situation, c *corpus, sides []*side) (*lab.Situation, error) {
	r := &lab.Situation{Lie: s.lie.String(), Bytes: c.bytes, Files: len(c.files), Beside: strings.Join(s.beside, " ")}
	if s.shm {
		r.Lie = "tmpfs"
	}
	for _, q := range s.asks {
		r.Asks = append(r.Asks, q.name)
	}
	if sides[0].not != "" {
		return nil, errors.New(sides[0].not)
	}
	var best *side
	for _, v := range sides[1:] {
		if v.not == "" && !v.peer && (best == nil || lab.Summarize(v.totals).Median < lab.Summarize(best.totals).Median) {
			best = v
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%s: no forced way can run here", s.name)
	}
	for _, v := range sides {
		way := lab.Way{Name: v.name, Peer: v.peer, Not: v.not}
		if v.not == "" {
			way.Total, way.CPU, way.After = lab.Summarize(v.totals), lab.Summarize(v.cpu), v.after
			for _, lap := range v.laps {
				way.Laps = append(way.Laps, lab.Summarize(lap))
			}
		}
		if v.not == "" && v.peer {
			ratio := lab.Summarize(quantile.Ratios(sides[0].totals, v.totals))
			way.Ratio = &ratio
		}
		r.Ways = append(r.Ways, way)
	}
	r.Best = best.name
	r.Ratio = lab.Summarize(quantile.Ratios(sides[0].totals, best.totals))
	r.Least = slices.Min(sides[0].totals) / slices.Min(best.totals)
	r.CPU = lab.Summarize(sides[0].cpu).Median / max(lab.Summarize(best.cpu).Median, 1e-9)
	return r, nil
}
