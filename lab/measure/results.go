package measure

import (
	"fmt"
	"slices"

	"github.com/thresh-dev/thresh/lab"
)

// results returns all measurements of the session: of the jobs of this run, in their order, then of others
// that were measured before.
func (s *session) results(experiments []*lab.Experiment, plans []*plan) (r lab.Results) {
	var had []job
	for _, p := range plans {
		for _, w := range p.work {
			had = append(had, w.job)
			if m, ok := w.measurement(); ok {
				r.Measurements = append(r.Measurements, m)
			}
		}
	}
	for i := range s.journal.entries {
		e := &s.journal.entries[i]
		if slices.ContainsFunc(had, e.of) {
			continue
		}
		of, v := find(experiments, e.Variant)
		if v == nil {
			v = &lab.Variant{ID: e.Variant}
		}
		w := &work{job: job{experiment: of, variant: v, setting: e.Setting, bytes: e.Bytes}}
		had = append(had, w.job)
		for _, e := range s.journal.entries {
			if e.of(w.job) {
				w.add(e)
			}
		}
		w.runs = len(w.entries)
		if m, ok := w.measurement(); ok {
			r.Measurements = append(r.Measurements, m)
		}
	}
	return r
}

// measurement returns what is known of a job; ok is false if it has not run yet.
func (w *work) measurement() (m lab.Measurement, ok bool) {
	m = lab.Measurement{Variant: w.variant.ID, Setting: w.setting, Bytes: w.bytes, Skipped: w.skipped}
	if m.Skipped != "" {
		return m, true
	}
	if len(w.entries) == 0 {
		return m, false
	}
	for _, e := range w.entries {
		m.Outcomes = append(m.Outcomes, *e.Outcome)
		m.Want, m.FaultsPerGiB = e.Want, e.Faults
		m.OthersShare += e.Others / float64(len(w.entries))
		if e.Profile != nil {
			m.Profile = merge(m.Profile, e.Profile)
		}
	}
	m.Wrong, _ = wrong(w.entries)
	if e := w.experiment; e != nil && !m.Setting.Profiled && m.Wrong == "" && len(w.entries) < e.Method.Runs {
		m.Fewer = fmt.Sprintf("%d of %d runs: one takes %.1f s", len(w.entries), e.Method.Runs, w.entries[0].Seconds)
	}
	return m, true
}
