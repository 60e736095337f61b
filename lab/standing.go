package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
)

// Standing says how this project's own way compares with the other ways to do the same, in one state of the
// input and at one size: at their best numbers of workers.
type Standing struct {
	Variant string  `json:"variant"`
	Setting Setting `json:"setting,omitzero"` // state and size
	Place   Place   `json:"place"`
	Own     Spread  `json:"own,omitzero"`
	// Other is the best of the others, "" if there is none.
	Other       string `json:"other,omitempty"`
	OtherFigure Spread `json:"other_figure,omitzero"`
	// Wall is the limit that the last run's receipt names, "" if there is none.
	Wall string `json:"wall,omitempty"`
	// Why says what is known of the reason, where it is slower and there is no receipt, or why it has no place.
	Why string `json:"why,omitempty"`
	// Unit is that of the figures.
	Unit string `json:"unit"`
}

// Place is where a variant stands among others.
type Place string

// The values of Place.
const (
	Fastest Place = "the best"
	AsGood  Place = "as good as the best"
	Behind  Place = "not the best"
	Alone   Place = "with nothing to compare"
	Nowhere Place = "not measured here"
	Untold  Place = "can't be told"
)

// Standings returns where an experiment's variants of this project stand, in the order of the variants, states
// and sizes that they were to be measured in. The rule: with a ratio clearly above one it is the best, or not
// the best, as [Ratio.Side] has it; otherwise the spreads meet, and it is as good as the best.
func (e *Experiment) Standings(r Results) (all []Standing) {
	for i := range e.Variants {
		own := &e.Variants[i]
		if !own.Product || own.Compare != nil {
			continue
		}
		var seen []Setting
		for _, m := range r.Measurements {
			s := Setting{State: m.Setting.State, N: m.Setting.N}
			if m.Variant == own.ID && !m.Setting.Profiled && !slices.Contains(seen, s) {
				seen = append(seen, s)
			}
		}
		slices.SortStableFunc(seen, bySetting)
		for _, s := range seen {
			all = append(all, e.standing(own, r, s))
		}
	}
	return all
}

// bySetting orders by state, as the states are declared, and by size.
func bySetting(a, b Setting) int {
	order := []State{Any, Warm, Pieces, Cold}
	if by := slices.Index(order, a.State) - slices.Index(order, b.State); by != 0 {
		return by
	}
	return a.N - b.N
}

func (e *Experiment) standing(own *Variant, r Results, s Setting) Standing {
	st := Standing{Variant: own.ID, Setting: s, Unit: e.Metric.Unit}
	mine, figure := e.best(own, r, s)
	if mine == nil {
		st.Place, st.Why = Nowhere, r.whyNone(own.ID, s)
		return st
	}
	st.Own, st.Wall = figure, mine.Wall()
	var theirs *Measurement
	for i := range e.Variants {
		v := &e.Variants[i]
		if v.ID == own.ID || v.Work != own.Work || v.Input != own.Input {
			continue
		}
		m, figure := e.best(v, r, s)
		if m != nil && (theirs == nil || e.Metric.Better(figure.Value, st.OtherFigure.Value)) {
			theirs, st.Other, st.OtherFigure = m, v.ID, figure
		}
	}
	if theirs == nil {
		st.Place = Alone
		return st
	}
	if st.Why = e.untold(mine, theirs); st.Why != "" {
		st.Place = Untold
		return st
	}
	lead := Over(st.Own, st.OtherFigure)
	if !e.Metric.MoreIsBetter {
		lead = Over(st.OtherFigure, st.Own)
	}
	st.Place = [...]Place{Behind, AsGood, Fastest}[1+lead.Side(1)]
	if st.Place == Behind && st.Wall == "" {
		st.Why = beside(mine, theirs)
	}
	return st
}

// untold says why two measurements cannot be compared, "" if they can.
func (e *Experiment) untold(a, b *Measurement) string {
	for _, m := range []*Measurement{a, b} {
		if why := m.Disturbed(); why != "" && !e.Metric.Counted {
			return why
		}
		if why := m.TooFew(); why != "" {
			return why
		}
	}
	return ""
}

// best returns the measurement of a variant with the best figure in a state and at a size, nil if there is none.
func (e *Experiment) best(v *Variant, r Results, s Setting) (best *Measurement, figure Spread) {
	for i := range r.Measurements {
		m := &r.Measurements[i]
		if m.Variant != v.ID || m.Setting.Profiled || m.Setting.State != s.State || m.Setting.N != s.N {
			continue
		}
		// Values that are infinite or no numbers are of runs too short to measure.
		f, ok := e.Figure(m)
		if ok && f.Low > 0 && !math.IsInf(f.High, 0) && (best == nil || e.Metric.Better(f.Value, figure.Value)) {
			best, figure = m, f
		}
	}
	return best, figure
}

// whyNone says why a variant has no figure in a state and at a size.
func (r Results) whyNone(id string, s Setting) string {
	for _, m := range r.Measurements {
		if m.Variant == id && m.Setting.State == s.State && m.Setting.N == s.N && !m.Setting.Profiled {
			if m.Wrong == "" && len(m.Outcomes) > 0 {
				return id + " was too short to measure"
			}
			return r.Absent(id, m.Setting)
		}
	}
	return r.Absent(id, s)
}

// Wall returns the limit that a measurement's runs named last, "" if none did.
func (m *Measurement) Wall() string {
	for _, o := range slices.Backward(m.Outcomes) {
		if o.Wall != "" {
			return o.Wall
		}
	}
	return ""
}

// beside holds what a variant's runs cost against another's: processor time and system calls of a GiB.
func beside(own, other *Measurement) string {
	var texts []string
	for _, m := range []*Measurement{own, other} {
		var bytes, seconds, user, system, calls float64
		for _, o := range m.Outcomes {
			bytes, seconds = bytes+float64(o.Bytes), seconds+o.Seconds
			user, system = user+o.UserSeconds, system+o.SystemSeconds
			calls += float64(o.Calls)
		}
		if bytes <= 0 || user+system <= 0 {
			return "what stopped it was not measured"
		}
		gib := bytes / (1 << 30)
		text := fmt.Sprintf("%s takes %s ms of processor time a GiB, %.0f %% of it in the kernel, on %.2f processors",
			m.Variant, number(1e3*(user+system)/gib), 100*system/(user+system), (user+system)/seconds)
		if calls > 0 {
			text += fmt.Sprintf(", and %s system calls", number(calls/gib))
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// String is the standing in one line.
func (s Standing) String() string {
	line := s.Name() + ": " + s.Figures()
	if reason := s.Reason(); reason != "" {
		line += ". " + reason
	}
	return line + "."
}

// Name is the variant with state and size.
func (s Standing) Name() string {
	name := s.Variant
	if s.Setting.State != Any {
		name += ", " + string(s.Setting.State)
	}
	if s.Setting.N > 0 {
		name += fmt.Sprintf(", n = %d", s.Setting.N)
	}
	return name
}

// Figures is the place with the figure, and that of the best of the others.
func (s Standing) Figures() string {
	if s.Place == Nowhere {
		return string(s.Place)
	}
	text := fmt.Sprintf("%s, %s", s.figure(s.Own), s.Place)
	if s.Other != "" {
		text += fmt.Sprintf("; %s has %s", s.Other, s.figure(s.OtherFigure))
	}
	return text
}

// Reason is the limit that stopped it or, where no receipt names one, what else is known.
func (s Standing) Reason() string {
	switch {
	case s.Place == Untold:
		return strings.ToUpper(s.Why[:1]) + s.Why[1:]
	case s.Wall != "":
		return "Its limit: " + strings.TrimSuffix(s.Wall, ".")
	case s.Place == Behind:
		return "No receipt names its limit: " + s.Why
	}
	return s.Why
}

// figure writes a figure with its spread.
func (s Standing) figure(f Spread) string {
	text := number(f.Value)
	if f.Runs > 1 {
		text += fmt.Sprintf(" (%s to %s)", number(f.Low), number(f.High))
	}
	return text + " " + s.Unit
}

// number writes a figure with at least three digits.
func number(v float64) string {
	if v >= 100 {
		return humanize.Comma(int64(math.Round(v)))
	}
	return fmt.Sprintf("%.3g", v)
}
