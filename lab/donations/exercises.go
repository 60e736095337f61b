package donations

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/evidence"
)

// exercises returns what the article leaves to its readers, as claims that can be judged. Exercise 4 is
// claim D7; exercises 2 and 5 share a program.
func exercises() []lab.Claim {
	return []lab.Claim{
		evidence.Claim("E1", "Exercise 1: two goroutines that read the file are faster than one.", "no figure",
			question{"rev9", "sections", faster, map[lab.Holds]string{
				lab.Yes: "with two readers it takes less time",
				lab.No:  "with two readers it takes no less time",
			}, spent, "rev9"}.judge),
		evidence.Claim("E2", "Exercise 2: strings that are not copied break the wall of reading lines.",
			"no figure; the wall is 3.57 s", question{"read-text", "rev10", faster, map[lab.Holds]string{
				lab.Yes: "four questions are answered in less time than it takes to make a string of each line",
				lab.No:  "four questions take as long as making a string of each line",
			}, spentAndAllocated, ""}.judge),
		evidence.Claim("E3", "Exercise 3: Java can be as fast as revision 9.",
			"no figure; java-7 takes 5.9 times as long as rev9", question{"java-9", "rev9", lab.NotMore, map[lab.Holds]string{
				lab.Yes: "the same design takes no longer in Java",
				lab.No: "the same design takes longer in Java; what of it is decoding, compiling at run time, or the " +
					"collector was not measured",
			}, spent, ""}.judge),
		evidence.Claim("E5", "Exercise 5: the list of names need not cost time.", "no figure",
			question{"rev10", "rev9", lab.NotMore, map[lab.Holds]string{
				lab.Yes: "rev10 keeps the list, and takes no longer than rev9, which does not",
				lab.No:  "rev10 keeps the list, and takes longer than rev9, which does not",
			}, spentAndAllocated, ""}.judge),
		evidence.Claim("E6", "Exercise 6: without the garbage collector it is faster.",
			"no figure; the collector took 3 % of rev9's time", question{"rev9", "nogc", faster, map[lab.Holds]string{
				lab.Yes: "without collections it takes less time",
				lab.No:  "without collections it takes no less time",
			}, spentAndAllocated, ""}.judge),
		evidence.Claim("E7", "Exercise 7: idiomatic Go is still fast.", "no figure",
			question{"idiomatic", "rev9", notFarSlower, map[lab.Holds]string{
				lab.Yes: fmt.Sprintf("one goroutine takes at most %.1f times as long as revision 9 on all processors, as long "+
					"as revision 8 did in the article", fast),
				lab.No: "one goroutine takes far longer than revision 9 on all processors",
			}, spentAndAllocated, ""}.judge),
	}
}

// question is an exercise that compares two programs by a rule.
type question struct {
	a, b string                      // programs
	rule func(r lab.Ratio) lab.Holds // of the times of a over b
	why  map[lab.Holds]string
	// reason names the figures that show why.
	reason func(f *evidence.Figures, ids ...string) string
	idle   string // the program whose idle processors are part of the reason, "" for none
}

func (q question) judge(f *evidence.Figures) (v lab.Verdict) {
	ids := []string{q.a, q.b}
	s, ok := fastest(f, ids...)
	if !ok {
		return v
	}
	ratio := lab.Over(s[0], s[1])
	v = lab.Verdict{Holds: q.rule(ratio), Ours: times(ids, s) + ": " + ratio.String(), Why: tooNoisy}
	figures := []string{q.reason(f, ids...)}
	if q.idle != "" {
		figures = append(figures, waiting(f, q.idle))
	}
	if v.Holds != lab.Unclear {
		v.Why = sentence(q.why[v.Holds], figures...)
	}
	return v
}

func spentAndAllocated(f *evidence.Figures, ids ...string) string {
	return spent(f, ids...) + "; " + allocated(f, ids...)
}

// faster judges "b is faster than a", by any ratio that counts as a difference.
func faster(r lab.Ratio) lab.Holds {
	switch {
	case r.Side(lab.Equal) > 0:
		return lab.Yes
	case r.Side(lab.Equal) < 0:
		return lab.No
	}
	return lab.Unclear
}

// fast is how many times as long as revision 9 a program on one processor may take to be called fast: as
// long as revision 8 took in the article.
const fast = 6.644 / 3.880

// notFarSlower judges "a is as fast as revision 8 was".
func notFarSlower(r lab.Ratio) lab.Holds {
	return [...]lab.Holds{lab.Yes, lab.Unclear, lab.No}[1+r.Side(fast)]
}

// A reason names the figures that show it: processor time against wall time, what was allocated, how often
// the collector ran. What no figure shows is said to be not measured.

const tooNoisy = "The runs differ too much."

// fastest returns the fastest runs of variants on all processors, as the article reports them.
func fastest(f *evidence.Figures, ids ...string) (all []lab.Spread, ok bool) {
	ok = true
	for _, id := range ids {
		s, known := f.Fastest(id, warm(0))
		all, ok = append(all, s), ok && known
	}
	return all, ok
}

// times writes figures of ours: "rev0 5.10 s, rev1 150.00 s".
func times(ids []string, seconds []lab.Spread) string {
	var all []string
	for i, id := range ids {
		all = append(all, fmt.Sprintf("%s %.2f s", id, seconds[i].Value))
	}
	return strings.Join(all, ", ")
}

// lineMicros returns the time of the article's file as that of a line.
func lineMicros(seconds float64) float64 { return seconds / articleLines * 1e6 }

// spent says what processor time variants took for a line, and how many processors they kept busy.
func spent(f *evidence.Figures, ids ...string) string {
	var all []string
	for _, id := range ids {
		u := f.Use(id, warm(0))
		if u.Busy == 0 {
			return "the processor time was not measured"
		}
		all = append(all, fmt.Sprintf("%s takes %.2f µs of processor time a line, %.0f %% of it in the kernel, "+
			"on %.1f processors", id, u.Item*1e6, 100*u.Kernel, u.Busy))
	}
	return strings.Join(all, "; ")
}

// allocated says what variants allocated for a line, and how often the collector ran.
func allocated(f *evidence.Figures, ids ...string) string {
	var all []string
	for _, id := range ids {
		m, ok := f.Memory(id, warm(0), "line")
		if !ok {
			return "what they allocate was not measured"
		}
		all = append(all, fmt.Sprintf("%s allocates %.0f bytes a line and has %s from the system, in %d collections",
			id, m.Item, evidence.Size(m.System), m.Collections))
	}
	return strings.Join(all, "; ")
}

// allBusy is the share of the processors from which on they count as busy.
const allBusy = 0.8

// waiting says whether processors were idle while a variant ran.
func waiting(f *evidence.Figures, id string) string {
	processors := f.Results.Machine.Processors
	switch busy := f.Use(id, warm(0)).Busy; {
	case busy == 0:
		return "how busy the processors were was not measured"
	case busy > allBusy*float64(processors):
		return fmt.Sprintf("all %d processors are busy in %s", processors, id)
	default:
		return fmt.Sprintf("only %.1f of %d processors are busy in %s; what the others wait for was not measured",
			busy, processors, id)
	}
}

// sentence makes one of a statement and the figures that show it.
func sentence(statement string, figures ...string) string {
	return strings.ToUpper(statement[:1]) + statement[1:] + ": " + strings.Join(figures, "; ") + "."
}
