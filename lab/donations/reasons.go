package donations

import (
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/evidence"
)

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
