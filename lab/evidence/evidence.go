// Package evidence looks up the figures that a claim of an article compares, remembers those that are
// absent, and collects what a verdict rests on.
package evidence

import (
	"fmt"
	"math"
	"strings"

	"github.com/thresh-dev/thresh/lab"
)

// Figures are the measurements of an experiment for one claim.
type Figures struct {
	Experiment *lab.Experiment
	Results    lab.Results
	Absent     []string // why figures that were asked for are not there
	evidence   []string
}

// Claim returns a claim with such a judge. A verdict that says nothing else is that the claim was not
// tested, because of the figures that are absent.
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
			}
			v.Evidence = f.evidence
			return v
		},
	}
}

// Of returns the figure of a variant under a setting.
func (f *Figures) Of(id string, s lab.Setting) (lab.Spread, bool) {
	id = f.Experiment.Name + "/" + id
	figure, ok := f.Experiment.Figure(f.Results.Of(id, s))
	if !ok {
		f.Absent = append(f.Absent, f.Results.Absent(id, s))
	}
	return figure, ok
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
	Faults float64 // minor page faults per GiB
}

// Use returns how a variant used the processors, the zero value if it was not measured. It is added to
// the evidence.
func (f *Figures) Use(id string, s lab.Setting) (u Use) {
	m := f.Results.Of(f.Experiment.Name+"/"+id, s)
	if m == nil {
		return u
	}
	var seconds, user, system, faults, bytes float64
	for _, o := range m.Outcomes {
		seconds += o.Seconds
		user += o.UserSeconds
		system += o.SystemSeconds
		faults += float64(o.MinorFaults)
		bytes += float64(o.Bytes)
	}
	if user+system <= 0 || seconds <= 0 || bytes <= 0 {
		return u
	}
	u = Use{(user + system) / seconds, system / (user + system), faults / bytes * (1 << 30)}
	f.Note("%s %s: %.1f processors busy, %.0f %% of that in the kernel, %.0f page faults per GiB",
		id, s.State, u.Busy, 100*u.Kernel, u.Faults)
	return u
}
