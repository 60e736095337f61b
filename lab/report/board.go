package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/lab"
)

// row is a variant in one state of its input, at one size: a line of the scoreboard.
type row struct {
	variant *lab.Variant
	label   string // the variant's name within its experiment, and the size if it has one
	n       int

	// best is the measurement with the best figure, over all numbers of workers and processors. It is
	// nil if there is no figure, and note says why.
	best   *lab.Measurement
	figure lab.Spread
	note   string
	wrong  bool // some answer was wrong
	ran    bool

	published *lab.Published
}

// board is the rows of one experiment in one state.
type board struct {
	experiment *lab.Experiment
	state      lab.State
	rows       []row
	all        []*lab.Measurement // that the rows were made of
}

// states returns the states that an experiment was measured in, in the order in which they are shown.
func states(e *lab.Experiment, results ...lab.Results) []lab.State {
	var found []lab.State
	for _, state := range []lab.State{lab.Any, lab.Warm, lab.Pieces, lab.Cold} {
		for _, r := range results {
			if slices.ContainsFunc(r.Measurements, func(m lab.Measurement) bool {
				return m.Setting.State == state && !m.Setting.Profiled && has(e, m.Variant)
			}) {
				found = append(found, state)
				break
			}
		}
	}
	return found
}

// makeBoard collects the rows of an experiment in a state, in the order of its variants.
func makeBoard(e *lab.Experiment, r lab.Results, state lab.State) board {
	b := board{experiment: e, state: state}
	all := states(e, r)
	for i := range e.Variants {
		v := &e.Variants[i]
		sizes := map[int][]*lab.Measurement{}
		for j := range r.Measurements {
			m := &r.Measurements[j]
			if m.Variant == v.ID && m.Setting.State == state && !m.Setting.Profiled {
				sizes[m.Setting.N] = append(sizes[m.Setting.N], m)
				b.all = append(b.all, m)
			}
		}
		for _, n := range sortedKeys(sizes) {
			row := makeRow(e, v, n, sizes[n])
			row.published = published(e, v, state, n, all)
			b.rows = append(b.rows, row)
		}
	}
	return b
}

func makeRow(e *lab.Experiment, v *lab.Variant, n int, measurements []*lab.Measurement) row {
	r := row{variant: v, n: n, label: name(e, v)}
	if n != 0 {
		r.label += ", " + sizeText(n)
	}
	var notes []string
	for _, m := range measurements {
		if figure, ok := figure(e, m); ok && (r.best == nil || e.Metric.Better(figure.Value, r.figure.Value)) {
			r.best, r.figure = m, figure
		}
		r.wrong = r.wrong || m.Wrong != ""
		r.ran = r.ran || len(m.Outcomes) > 0
		if note := trouble(e, m); note != "" {
			if at := scaleText(m.Setting); at != "" && len(measurements) > 1 {
				note = at + ": " + note
			}
			notes = append(notes, note)
		}
	}
	r.note = strings.Join(notes, "; ")
	return r
}

// name is a variant's name within its experiment.
func name(e *lab.Experiment, v *lab.Variant) string { return strings.TrimPrefix(v.ID, e.Name+"/") }

// figure is the experiment's figure of a measurement; a run too short to measure has none.
func figure(e *lab.Experiment, m *lab.Measurement) (lab.Spread, bool) {
	s, ok := e.Figure(m)
	return s, ok && finite(s.Low) && finite(s.Value) && finite(s.High)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// trouble says why a measurement has no figure, or what limits it.
func trouble(e *lab.Experiment, m *lab.Measurement) string {
	var notes []string
	if m.Wrong != "" {
		notes = append(notes, fmt.Sprintf("wrong answer: %q instead of %q", short(m.Wrong), short(m.Want)))
	}
	if m.Skipped != "" {
		notes = append(notes, "not run: "+m.Skipped)
	}
	if _, ok := figure(e, m); !ok && len(notes) == 0 {
		if len(m.Outcomes) == 0 {
			notes = append(notes, "not run, for no stated reason")
		} else {
			notes = append(notes, "too short to measure")
		}
	}
	if m.Fewer != "" {
		notes = append(notes, "fewer runs: "+m.Fewer)
	}
	if others := m.Others(); others != "" {
		notes = append(notes, others)
	}
	return strings.Join(notes, "; ")
}

// published returns an article's best figure for a variant in a state, nil if it has none. A figure
// without a state belongs to the first of those that were measured, and any figure does where only one was.
func published(e *lab.Experiment, v *lab.Variant, state lab.State, n int, all []lab.State) *lab.Published {
	var best *lab.Published
	for i := range v.Published {
		p := &v.Published[i]
		here := p.Setting.State == state || p.Setting.State == lab.Any && all[0] == state ||
			state == lab.Any && len(all) == 1
		if here && p.Setting.N == n && (best == nil || e.Metric.Better(p.Value, best.Value)) {
			best = p
		}
	}
	return best
}

// speedUp compares a row with the first of the board that reads the same input, 0 if there is none.
func (b board) speedUp(r row) float64 {
	first := b.rows[0]
	if r.best == nil || first.best == nil || r.variant.Input == "" || r.variant.Input != first.variant.Input ||
		r.n != first.n || r.variant.Share != first.variant.Share {
		return 0
	}
	if b.experiment.Metric.MoreIsBetter {
		return r.figure.Value / first.figure.Value
	}
	return first.figure.Value / r.figure.Value
}

// ownLines say how this project's own rows stand in the board.
func (b board) ownLines(r lab.Results) (lines []string) {
	for _, s := range b.experiment.Standings(r) {
		if s.Setting.State == b.state {
			lines = append(lines, s.String())
		}
	}
	return lines
}

func (b board) withUnit(v float64) string { return number(v) + " " + b.experiment.Metric.Unit }

// figures returns the experiment's figure of each run.
func figures(e *lab.Experiment, m *lab.Measurement) []float64 {
	values := make([]float64, len(m.Outcomes))
	for i, o := range m.Outcomes {
		values[i] = e.Metric.Of(o)
	}
	return values
}

func sortedKeys[M ~map[K]V, K int | string, V any](m M) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// has reports whether an experiment has a variant of that ID.
func has(e *lab.Experiment, id string) bool {
	return slices.ContainsFunc(e.Variants, func(v lab.Variant) bool { return v.ID == id })
}
