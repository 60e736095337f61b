package wall

import (
	"fmt"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/machine/limits"
)

// trusts reports whether a run may be compared with a figure of the ceilings.
func (r *run) trusts(f limits.Figure) bool {
	return r.ceilings != nil && r.ceilings.StaleReason == "" && f.Usable() && !r.ceilings.Disturbed(f)
}

// distrust returns why there is no percentage.
func (r *run) distrust(f limits.Figure) string {
	switch {
	case r.ceilings == nil:
		return "no percentage: this machine's limits have not been measured (thresh limits does)"
	case r.ceilings.StaleReason != "":
		return "no percentage: the measured limits are stale: " + r.ceilings.StaleReason
	case f.Samples == 0:
		return "no percentage: this limit could not be measured"
	case r.ceilings.Disturbed(f):
		return "no percentage: the limit was measured on a busy machine: " + r.ceilings.Busy
	}
	return "no percentage: the measured limit is noisy"
}

// against completes the verdict with how close the rate came to a figure of the ceilings, if the
// figure can be trusted.
func (r *run) against(v Verdict, what string, rate float64, best limits.Figure,
	which string) Verdict {
	if r.trusts(best) {
		return r.compare(v, what, rate, best, which)
	}
	unit := best.Unit
	if unit == "" {
		unit = "GB/s"
	}
	v.Sentence = fmt.Sprintf("%s: %s %s", what, limits.Number(rate), unit)
	v.Evidence = append(v.Evidence, r.distrust(best))
	return v
}

// compare completes the verdict with the rate as a fraction of the best one. A rate well above the
// best one shows that it is not the best.
func (r *run) compare(v Verdict, what string, rate float64, best limits.Figure,
	which string) Verdict {
	if rate > exceededRatio*best.Median {
		v.Exceeded = true
		v.Sentence = fmt.Sprintf("%s: %s %s, more than %s, %s", what, limits.Number(rate), best.Unit, best, which)
		return v
	}
	v.Fraction = min(1, rate/best.Median)
	v.Sentence = fmt.Sprintf("%s: %s of %s, %s (%s)", what, limits.Number(rate), best, which,
		percent(v.Fraction))
	return v
}

// againstProbe compares the run with a probe. A run faster than its probe says nothing about the
// ceilings.
func (r *run) againstProbe(v Verdict, what string, probe float64, which string) Verdict {
	return r.compareProbe(v, what, r.rate, probe, which)
}

func (r *run) compareProbe(v Verdict, what string, rate, probe float64, which string) Verdict {
	v = r.compare(v, what, rate, limits.Figure{Median: probe, Unit: "GB/s"}, which)
	v.Exceeded = false
	return v
}

// bestStorage returns the faster of the two ways to read the device.
func (r *run) bestStorage() limits.Figure {
	if r.ceilings == nil {
		return limits.Figure{}
	}
	direct, cold := r.ceilings.DirectRead, r.ceilings.ColdRead
	if direct.Samples == 0 || cold.Usable() && (cold.Median > direct.Median || direct.Noisy) {
		return cold
	}
	return direct
}

func (r *run) bestCopy() limits.Figure {
	if r.ceilings == nil {
		return limits.Figure{}
	}
	return r.forWorkers(r.ceilings.CopyOne, r.ceilings.CopyAll)
}

func (r *run) bestMemory() limits.Figure {
	if r.ceilings == nil {
		return limits.Figure{}
	}
	return r.forWorkers(r.ceilings.MemoryOne, r.ceilings.MemoryAll)
}

// forWorkers returns the ceiling for the run's number of workers: n times what one reaches, but at
// most what all reach together.
func (r *run) forWorkers(one, all limits.Figure) limits.Figure {
	switch {
	case r.lanes == 1 || all.Samples == 0:
		return one
	case r.lanes >= r.ceilings.Identity.MaxProcs || one.Samples == 0 ||
		one.Median*float64(r.lanes) >= all.Median:
		return all
	}
	one.Median *= float64(r.lanes)
	return one
}

// evidence returns the numbers on which every verdict is based, followed by those of the rule.
func (r *run) evidence(noted []string) []string {
	lines := []string{
		fmt.Sprintf("%d workers on %d processors for %s: user %s, kernel %s, waiting for a processor %s, blocked %s",
			r.Workers, r.lanes, short(r.Wall), percent(r.user), percent(r.system), percent(r.runQueue),
			percent(r.blocked)),
		fmt.Sprintf("%s GB scanned, %s GB by read calls, %s GB from storage, %d page faults",
			limits.Number(float64(r.Scanned)/1e9), limits.Number(float64(r.ReadChars)/1e9),
			limits.Number(float64(r.ReadStorage)/1e9), r.MinorFaults+r.MajorFaults),
	}
	lines = append(lines, noted...)
	if r.probed() {
		lines = append(lines, r.p.String())
	}
	if r.Wall < coarseWall {
		lines = append(lines, "the run is short: the split into user and kernel time is coarse")
	}
	if len(r.Missing) > 0 {
		lines = append(lines, "not counted: "+strings.Join(r.Missing, "; "))
	}
	return lines
}

func share(part, whole time.Duration) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// perSecond returns GB/s.
func perSecond(bytes int64, took time.Duration) float64 {
	if took <= 0 {
		return 0
	}
	return float64(bytes) / float64(took.Nanoseconds())
}

func percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }

// short rounds a duration to the precision that a reader needs.
func short(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}
