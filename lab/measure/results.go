package measure

import (
	"fmt"
	"slices"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/machine"
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
		m.Skipped = w.left
		return m, w.left != ""
	}
	var share machine.Share
	seconds := 0.0
	for _, e := range w.entries {
		share.Others, share.Host = share.Others+e.Others*e.Seconds, share.Host+e.Host*e.Seconds
		seconds += e.Seconds
		if e.Compared != nil {
			m.Compared = e.Compared
			continue
		}
		m.Outcomes = append(m.Outcomes, *e.Outcome)
		m.Want, m.FaultsPerGiB = e.Want, e.Faults
		if e.Profile != nil {
			m.Profile = merge(m.Profile, e.Profile)
		}
	}
	if seconds > 0 {
		share = machine.Share{Others: share.Others / seconds, Host: share.Host / seconds}.Clamped()
		m.OthersShare, m.HostShare = share.Others, share.Host
	}
	m.Wrong, _ = wrong(w.entries)
	if !m.Setting.Profiled && m.Compared == nil && m.Wrong == "" {
		m.Fewer = w.fewer()
	}
	return m, true
}

// fewer says why a job had fewer runs than it should, "" if it had as many.
func (w *work) fewer() string {
	asked := w.asked
	if asked == 0 && w.experiment != nil { // of an earlier session
		asked = w.experiment.Method.Runs
	}
	if len(w.entries) >= asked {
		return ""
	}
	why := w.left
	if why == "" {
		why = fmt.Sprintf("one takes %.1f s", w.entries[0].Seconds)
	}
	return fmt.Sprintf("%d of %d runs: %s", len(w.entries), asked, why)
}
