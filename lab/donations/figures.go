package donations

import (
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/lab"
)

// figures takes the figures for a claim out of the measurements, and remembers which are missing.
type figures struct {
	e       *lab.Experiment
	r       lab.Results
	missing []string
}

// measurement returns the measurement of a variant, nil if there is none with a right answer.
func (f *figures) measurement(id string) *lab.Measurement {
	for _, v := range f.e.Variants {
		if v.ID == "donations/"+id {
			return f.r.Of(v.ID, v.Settings[0])
		}
	}
	return nil
}

// of returns the fastest run of a variant, as the article does. How sure that is, the next runs say: its
// bounds are the fastest run and the lower quartile.
func (f *figures) of(id string) lab.Spread {
	m := f.measurement(id)
	if m == nil {
		f.missing = append(f.missing, f.whyMissing(id))
		return lab.Spread{}
	}
	values := make([]float64, len(m.Outcomes))
	for i, o := range m.Outcomes {
		values[i] = f.e.Metric.Of(o)
	}
	slices.Sort(values)
	return lab.Spread{Low: values[0], Value: values[0], High: values[(len(values)-1)/4], Runs: len(values)}
}

func (f *figures) whyMissing(id string) string {
	for _, m := range f.r.Measurements {
		switch {
		case m.Variant != "donations/"+id:
		case m.Skipped != "":
			return fmt.Sprintf("%s was not run: %s", id, m.Skipped)
		case m.Wrong != "":
			return id + " gave a wrong answer"
		}
	}
	return id + " was not run"
}

// untested returns the verdict for a claim with missing figures.
func (f *figures) untested() (lab.Verdict, bool) {
	return lab.Verdict{Holds: lab.Untested, Why: strings.Join(f.missing, "; ") + "."}, len(f.missing) > 0
}

// times writes a figure of ours: "rev0 5.10 s, rev1 150.00 s for 18.2 million lines".
func times(pairs ...any) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, "%s %.2f s, ", pairs[i], pairs[i+1].(lab.Spread).Value)
	}
	return strings.TrimSuffix(b.String(), ", ")
}

// last returns the last outcome of a variant that has figures.
func (f *figures) last(id string) lab.Outcome {
	m := f.measurement(id)
	return m.Outcomes[len(m.Outcomes)-1]
}

// memory is evidence about a variant's allocation, if that is known.
func (f *figures) memory(ids ...string) (evidence []string) {
	for _, id := range ids {
		o := f.last(id)
		if o.Memory != nil {
			evidence = append(evidence, fmt.Sprintf("%s: %.0f bytes allocated a line, %.0f MiB from the system, %d collections",
				id, float64(o.Memory.TotalAllocBytes)/float64(o.Items), float64(o.Memory.SysBytes)/(1<<20), o.Memory.Collections))
		}
	}
	return evidence
}

// processor is evidence about a variant's processor time and faults.
func (f *figures) processor(ids ...string) (evidence []string) {
	for _, id := range ids {
		o := f.last(id)
		evidence = append(evidence, fmt.Sprintf("%s: %.2f processors busy, %.0f %% of that in the kernel, %d minor faults",
			id, (o.UserSeconds+o.SystemSeconds)/o.Seconds, 100*o.SystemSeconds/max(o.UserSeconds+o.SystemSeconds, 1e-9),
			o.MinorFaults))
	}
	return evidence
}
