package evidence

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/lab"
)

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
