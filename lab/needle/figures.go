package needle

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/lab"
)

var (
	warm   = lab.Setting{State: lab.Warm}
	pieces = lab.Setting{State: lab.Pieces}
	cold   = lab.Setting{State: lab.Cold}
)

// figures looks up what claims compare, and remembers what is absent.
type figures struct {
	e        *lab.Experiment
	r        lab.Results
	absent   []string
	evidence []string
}

// claim returns a claim whose judge may rely on figures: where one is absent, the claim is untested.
func claim(id, text, theirs string, judge func(f *figures) lab.Verdict) lab.Claim {
	return lab.Claim{
		ID: id, Text: text, Theirs: theirs,
		Judge: func(e *lab.Experiment, r lab.Results) lab.Verdict {
			f := &figures{e: e, r: r}
			v := judge(f)
			if v.Holds == "" || v.Holds == lab.Untested {
				v.Holds = lab.Untested
				v.Why = strings.Join(append([]string{v.Why}, f.absent...), "; ")
				v.Why = strings.TrimPrefix(v.Why, "; ")
			}
			v.Evidence = f.evidence
			return v
		},
	}
}

// of returns the figure of a variant under a setting.
func (f *figures) of(id string, s lab.Setting) (lab.Spread, bool) {
	id = name + "/" + id
	figure, ok := f.e.Figure(f.r.Of(id, s))
	if !ok {
		f.absent = append(f.absent, f.r.Absent(id, s))
	}
	return figure, ok
}

// over returns the ratio of two variants under a setting, and a text with their figures.
func (f *figures) over(a, b string, s lab.Setting) (r lab.Ratio, text string, ok bool) {
	x, okx := f.of(a, s)
	y, oky := f.of(b, s)
	if !okx || !oky {
		return r, "", false
	}
	r = lab.Over(x, y)
	return r, fmt.Sprintf("%s %.0f MB/s, %s %.0f MB/s, %s", a, x.Value, b, y.Value, r), true
}

// limit returns a limit of the machine in MB/s.
func (f *figures) limit(name string) (mb float64, ok bool) {
	mb = f.r.Machine.Limits[name] / 1e6
	return mb, mb > 0
}

// note adds evidence.
func (f *figures) note(format string, args ...any) {
	f.evidence = append(f.evidence, fmt.Sprintf(format, args...))
}

// noteLimits adds limits of the machine to the evidence, as far as they are known.
func (f *figures) noteLimits(names ...string) {
	for _, n := range names {
		if mb, ok := f.limit(n); ok {
			f.note("limit %s: %.0f MB/s", n, mb)
		}
	}
}

// use is how a variant's runs used the processors, on average.
type use struct {
	busy   float64 // processors
	kernel float64 // share of the processor time that is the kernel's
	faults float64 // minor page faults per GiB
}

// use returns how a variant used the processors, the zero value if it was not measured. It is added to
// the evidence.
func (f *figures) use(id string, s lab.Setting) (u use) {
	m := f.r.Of(name+"/"+id, s)
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
	u = use{(user + system) / seconds, system / (user + system), faults / bytes * (1 << 30)}
	f.note("%s %s: %.1f processors busy, %.0f %% of that in the kernel, %.0f page faults per GiB",
		id, s.State, u.busy, 100*u.kernel, u.faults)
	return u
}

// faultBytes returns how much a fault of a mapping maps in a state of the file, 0 if that is not known:
// by the count that was taken for the state, otherwise by the faults of v04.
func (f *figures) faultBytes(s lab.Setting) float64 {
	faults := 0.0
	for _, m := range f.r.Measurements {
		if m.Setting.State == s.State && strings.HasPrefix(m.Variant, name+"/") && m.FaultsPerGiB > 0 {
			faults = m.FaultsPerGiB
			break
		}
	}
	if faults == 0 {
		faults = f.use("v04", s).faults
	}
	if faults == 0 {
		return 0
	}
	f.note("file %s: %.0f faults per GiB of mapping, one for %s", s.State, faults, size((1<<30)/faults))
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
func (f *figures) byState(judge func(s lab.Setting) (verdictPart, bool)) (v lab.Verdict) {
	var parts []lab.Holds
	var ours, why []string
	for _, s := range []lab.Setting{warm, pieces} {
		p, ok := judge(s)
		if !ok {
			why = append(why, fmt.Sprintf("File %s: not tested, %s.", s.State, strings.Join(f.absent, ", ")))
			f.absent = nil
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
