package needle

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/evidence"
)

var (
	warm   = lab.Setting{State: lab.Warm}
	pieces = lab.Setting{State: lab.Pieces}
	cold   = lab.Setting{State: lab.Cold}
)

// faultBytes returns how much a fault of a mapping maps in a state of the file, 0 if that is not known:
// by the count that was taken for the state, otherwise by the faults of v04.
func faultBytes(f *evidence.Figures, s lab.Setting) float64 {
	faults := 0.0
	for _, m := range f.Results.Measurements {
		if m.Setting.State == s.State && strings.HasPrefix(m.Variant, name+"/") && m.FaultsPerGiB > 0 {
			faults = m.FaultsPerGiB
			break
		}
	}
	if faults == 0 {
		faults = f.Use("v04", s).Faults
	}
	if faults == 0 {
		return 0
	}
	f.Note("file %s: %.0f faults per GiB of mapping, one for %s", s.State, faults, size((1<<30)/faults))
	return (1 << 30) / faults
}

// size returns bytes for people.
func size(bytes float64) string {
	if bytes >= 1<<20 {
		return fmt.Sprintf("%.3g MiB", bytes/(1<<20))
	}
	return fmt.Sprintf("%.3g KiB", bytes/(1<<10))
}

// verdictPart is what holds for one state of the file.
type verdictPart struct {
	holds lab.Holds
	ours  string
	why   string
}

// byState judges a claim about mappings for the file as it was read in order, and in single pages: its
// outcome depends on how much a page fault maps.
func byState(f *evidence.Figures, judge func(s lab.Setting) (verdictPart, bool)) (v lab.Verdict) {
	var parts []lab.Holds
	var ours, why []string
	for _, s := range []lab.Setting{warm, pieces} {
		p, ok := judge(s)
		if !ok {
			why = append(why, fmt.Sprintf("File %s: not tested, %s.", s.State, strings.Join(f.Absent, ", ")))
			f.Absent = nil
			continue
		}
		parts = append(parts, p.holds)
		ours = append(ours, fmt.Sprintf("%s: %s (%s)", s.State, p.ours, p.holds))
		why = append(why, fmt.Sprintf("File %s: %s.", s.State, p.why))
	}
	if len(parts) == 0 {
		return lab.Verdict{Why: strings.Join(why, " ")}
	}
	return lab.Verdict{Holds: lab.All(parts...), Ours: strings.Join(ours, "; "), Why: strings.Join(why, " ")}
}
