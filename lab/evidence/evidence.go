// Package evidence looks up the figures that a claim of an article compares, remembers those that are
// absent, and collects what a verdict rests on.
package evidence

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/lab"
)

// Figures are the measurements of an experiment for one claim.
type Figures struct {
	Experiment *lab.Experiment
	Results    lab.Results
	Absent     []string // why figures that were asked for are not there
	evidence   []string
	timed      []*lab.Measurement // whose times were compared
	counted    []*lab.Measurement // of which something else was
}

// Claim returns a claim with such a judge. A verdict that says nothing else is that the claim was not
// tested, because of the figures that are absent. Times that were taken beside busy neighbours, or fewer than
// three times, tell nothing; what was counted stands.
func Claim(id, text, theirs string, judge func(f *Figures) lab.Verdict) lab.Claim {
	return lab.Claim{
		ID: id, Text: text, Theirs: theirs,
		Judge: func(e *lab.Experiment, r lab.Results) lab.Verdict {
			f := &Figures{Experiment: e, Results: r}
			v := judge(f)
			if v.Holds == "" || v.Holds == lab.Untested {
				v.Holds = lab.Untested
				v.Why = strings.Join(append([]string{v.Why}, f.Absent...), "; ")
				v.Why = strings.TrimPrefix(v.Why, "; ")
			} else if why := f.untold(v.Holds); why != "" {
				v.Holds, v.Why = lab.Unclear, why
			}
			v.Evidence = f.evidence
			return v
		},
	}
}

// measurement returns what was measured of a variant under a setting, nil if there is nothing with a right
// answer: then it remembers why. The variant is one of this experiment, or named with its own: "needle/v01".
func (f *Figures) measurement(id string, s lab.Setting) *lab.Measurement {
	id = f.full(id)
	m := f.Results.Of(id, s)
	if m == nil {
		f.lacks(f.Results.Absent(id, s))
	}
	return m
}

func (f *Figures) full(id string) string {
	if strings.Contains(id, "/") {
		return id
	}
	return f.Experiment.Name + "/" + id
}

func (f *Figures) lacks(why string) {
	if !slices.Contains(f.Absent, why) {
		f.Absent = append(f.Absent, why)
	}
}

// untold says why the figures that were looked up do not tell what a judge made of them, "" if they do.
func (f *Figures) untold(holds lab.Holds) string {
	var whys []string
	note := func(why string) {
		if why != "" && !slices.Contains(whys, why) {
			whys = append(whys, why)
		}
	}
	for _, m := range f.timed {
		note(m.Disturbed())
		note(m.TooFew())
	}
	for _, m := range f.counted {
		if holds == lab.Unclear {
			note(m.TooFew())
		}
	}
	if len(whys) == 0 {
		return ""
	}
	const most = 3
	text := strings.Join(whys[:min(most, len(whys))], "; ")
	if more := len(whys) - most; more > 0 {
		text += fmt.Sprintf("; and %d more like that", more)
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// used remembers that the experiment's figure of a measurement was compared.
func (f *Figures) used(m *lab.Measurement) *lab.Measurement {
	switch {
	case m == nil:
	case f.Experiment.Metric.Counted:
		f.counted = append(f.counted, m)
	default:
		f.timed = append(f.timed, m)
	}
	return m
}

// Of returns the figure of a variant under a setting.
func (f *Figures) Of(id string, s lab.Setting) (lab.Spread, bool) {
	return f.Experiment.Figure(f.used(f.measurement(id, s)))
}

// Other returns the figure of a variant under a setting by another metric than the experiment's, which counts
// something: neighbours do not change it.
func (f *Figures) Other(id string, s lab.Setting, of func(lab.Outcome) float64) (lab.Spread, bool) {
	m := f.measurement(id, s)
	if m != nil {
		f.counted = append(f.counted, m)
	}
	return f.Experiment.FigureOf(m, of)
}

// Fastest returns the fastest run of a variant, for articles that report that. How sure it is, the next runs
// say: its bounds are the fastest run and the lower quartile. The metric must be a time.
func (f *Figures) Fastest(id string, s lab.Setting) (figure lab.Spread, ok bool) {
	m := f.used(f.measurement(id, s))
	if m == nil {
		return figure, false
	}
	values := make([]float64, len(m.Outcomes))
	for i, o := range m.Outcomes {
		values[i] = f.Experiment.Metric.Of(o)
	}
	slices.Sort(values)
	return lab.Spread{Low: values[0], Value: values[0], High: values[(len(values)-1)/4], Runs: len(values)}, true
}

// Figure is the figure of a variant under a setting.
type Figure struct {
	lab.Spread
	ID      string
	Setting lab.Setting
}

// Name is a figure with the variant that has it, and its number of workers.
func (f *Figures) Name(g Figure) string {
	if g.Setting.Workers > 0 {
		return fmt.Sprintf("%s with %d workers %s", g.ID, g.Setting.Workers, f.Text(g.Value))
	}
	return g.ID + " " + f.Text(g.Value)
}

// Best returns the best figure of these variants, under any setting that fits.
func (f *Figures) Best(fits func(lab.Setting) bool, ids ...string) (best Figure, ok bool) {
	var absent []string
	for _, id := range ids {
		why := f.Results.Absent(f.full(id), lab.Setting{Profiled: true}) // unless there is a setting that fits
		for i := range f.Results.Measurements {
			m := &f.Results.Measurements[i]
			if m.Variant != f.full(id) || m.Setting.Profiled || !fits(m.Setting) {
				continue
			}
			figure, known := f.Experiment.Figure(m)
			if !known {
				why = f.Results.Absent(m.Variant, m.Setting)
				continue
			}
			f.used(m)
			if !ok || f.Experiment.Metric.Better(figure.Value, best.Value) {
				best, ok = Figure{figure, id, m.Setting}, true
			}
		}
		absent = append(absent, why)
	}
	if !ok {
		for _, why := range absent {
			f.lacks(why)
		}
	}
	return best, ok
}

// Any returns what was measured of a variant under a setting, right or wrong; nil if it has no outcome.
func (f *Figures) Any(id string, s lab.Setting) *lab.Measurement {
	for i := range f.Results.Measurements {
		m := &f.Results.Measurements[i]
		if m.Variant == f.full(id) && m.Setting == s && (len(m.Outcomes) > 0 || m.Wrong != "") {
			return m
		}
	}
	f.lacks(f.Results.Absent(f.full(id), s))
	return nil
}

// Over returns the ratio of the figures of two variants under a setting, and a text with all three. The
// metric must be a rate.
func (f *Figures) Over(a, b string, s lab.Setting) (r lab.Ratio, text string, ok bool) {
	x, okx := f.Of(a, s)
	y, oky := f.Of(b, s)
	if !okx || !oky {
		return r, "", false
	}
	r = lab.Over(x, y)
	return r, fmt.Sprintf("%s %s, %s %s, %s", a, f.Text(x.Value), b, f.Text(y.Value), r), true
}

// Text returns a figure with its unit.
func (f *Figures) Text(value float64) string {
	digits := max(0, 2-int(math.Log10(max(value, 1))))
	return fmt.Sprintf("%.*f %s", digits, value, f.Experiment.Metric.Unit)
}

// Limit returns a rate among the limits of the machine, in the metric's unit.
func (f *Figures) Limit(name string) (value float64, ok bool) {
	value = f.Experiment.Metric.Of(lab.Outcome{Bytes: int64(f.Results.Machine.Limits[name]), Seconds: 1})
	return value, value > 0
}

// Note adds evidence.
func (f *Figures) Note(format string, args ...any) {
	f.evidence = append(f.evidence, fmt.Sprintf(format, args...))
}

// NoteLimits adds limits of the machine to the evidence, as far as they are known.
func (f *Figures) NoteLimits(names ...string) {
	for _, n := range names {
		if value, ok := f.Limit(n); ok {
			f.Note("limit %s: %s", n, f.Text(value))
		}
	}
}

// Use is how a variant's runs used the processors, on average.
type Use struct {
	Busy   float64 // processors
	Kernel float64 // share of the processor time that is the kernel's
	Faults float64 // minor page faults per GiB, 0 where the runs do not say how many bytes they read
	Item   float64 // seconds of processor time for an item, 0 where the runs do not count any
}

// Use returns how a variant used the processors, the zero value if it was not measured. It is added to
// the evidence.
func (f *Figures) Use(id string, s lab.Setting) (u Use) {
	m := f.Results.Of(f.full(id), s)
	if m == nil {
		return u
	}
	var seconds, user, system, faults, bytes, items float64
	for _, o := range m.Outcomes {
		seconds += o.Seconds
		user += o.UserSeconds
		system += o.SystemSeconds
		faults += float64(o.MinorFaults)
		bytes += float64(o.Bytes)
		items += float64(o.Items)
	}
	if user+system <= 0 || seconds <= 0 {
		return u
	}
	u = Use{Busy: (user + system) / seconds, Kernel: system / (user + system)}
	text := fmt.Sprintf("%s: %.1f processors busy, %.0f %% of that in the kernel", condition(id, s), u.Busy, 100*u.Kernel)
	if bytes > 0 {
		u.Faults = faults / bytes * (1 << 30)
		text += fmt.Sprintf(", %.0f page faults per GiB", u.Faults)
	}
	if items > 0 {
		u.Item = (user + system) / items
	}
	f.Note("%s", text)
	return u
}

// condition names a variant and the state of its input.
func condition(id string, s lab.Setting) string {
	if s.State == lab.Any {
		return id
	}
	return fmt.Sprintf("%s %s", id, s.State)
}

// Memory is what the Go runtime said about memory in a variant's last run.
type Memory struct {
	Item        float64 // bytes allocated for an item
	System      float64 // bytes from the system
	Collections int
}

// Memory returns what the runtime said about memory in a variant's last run; ok is false where it was not
// asked. It is added to the evidence. item is what the variant counts: "line".
func (f *Figures) Memory(id string, s lab.Setting, item string) (memory Memory, ok bool) {
	m := f.Results.Of(f.full(id), s)
	if m == nil {
		return memory, false
	}
	o := m.Outcomes[len(m.Outcomes)-1]
	if o.Memory == nil || o.Items == 0 {
		return memory, false
	}
	memory = Memory{float64(o.Memory.TotalAllocBytes) / float64(o.Items), float64(o.Memory.SysBytes),
		int(o.Memory.Collections)}
	f.Note("%s: %.0f bytes allocated a %s, %s from the system, %d collections",
		id, memory.Item, item, Size(memory.System), memory.Collections)
	return memory, true
}

// FaultBytes returns how much a page fault of a mapping maps in a state of the file, 0 if that is not known:
// by the count that was taken for the state, otherwise by the faults of a variant that maps the file.
func (f *Figures) FaultBytes(s lab.Setting, id string) float64 {
	faults := 0.0
	for _, m := range f.Results.Measurements {
		if m.Setting.State == s.State && strings.HasPrefix(m.Variant, f.Experiment.Name+"/") && m.FaultsPerGiB > 0 {
			faults = m.FaultsPerGiB
			break
		}
	}
	if faults == 0 {
		faults = f.Use(id, s).Faults
	}
	if faults == 0 {
		return 0
	}
	f.Note("file %s: %.0f faults per GiB of mapping, one for %s", s.State, faults, Size((1<<30)/faults))
	return (1 << 30) / faults
}

// Size returns bytes for people, in three digits.
func Size(bytes float64) string {
	if bytes >= 1000<<10 {
		return fmt.Sprintf("%.3g MiB", bytes/(1<<20))
	}
	return fmt.Sprintf("%.3g KiB", bytes/(1<<10))
}

// Part is what holds in one state of the file.
type Part struct {
	Holds lab.Holds
	Ours  string
	Why   string
}

// ByState judges a claim about mappings for the file as it was read in order, and in single pages: its
// outcome depends on how much a page fault maps.
func (f *Figures) ByState(judge func(s lab.State) (Part, bool)) (v lab.Verdict) {
	var parts []lab.Holds
	var ours, why []string
	for _, s := range []lab.State{lab.Warm, lab.Pieces} {
		p, ok := judge(s)
		if !ok {
			why = append(why, fmt.Sprintf("File %s: not tested, %s.", s, strings.Join(f.Absent, ", ")))
			f.Absent = nil
			continue
		}
		parts = append(parts, p.Holds)
		ours = append(ours, fmt.Sprintf("%s: %s (%s)", s, p.Ours, p.Holds))
		why = append(why, fmt.Sprintf("File %s: %s.", s, p.Why))
	}
	if len(parts) == 0 {
		return lab.Verdict{Why: strings.Join(why, " ")}
	}
	return lab.Verdict{Holds: lab.All(parts...), Ours: strings.Join(ours, "; "), Why: strings.Join(why, " ")}
}
