package copy

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/thresh-dev/thresh/lab"
)

// Ratios of the article's figures.
const (
	wrappedTimeRatio = 184. / 54
	wrappedCallRatio = 131_093. / 2_972
	limitTimeRatio   = 60. / 54
)

func claims() []lab.Claim {
	return []lab.Claim{
		{ID: "Z1", Text: "One wrapper around the file costs 3.4 times the processor time.",
			Theirs: fmt.Sprintf("%.1f times: 54 and 184 ms per GiB", wrappedTimeRatio), Judge: judgeWrapperTime},
		{ID: "Z2", Text: "And it costs 44 times the system calls.",
			Theirs: fmt.Sprintf("%.0f times: 2,972 and 131,093 for five transfers", wrappedCallRatio), Judge: judgeWrapperCalls},
		{ID: "Z3", Text: "io.LimitReader is free.",
			Theirs: fmt.Sprintf("sendfile, %.2f times the processor time", limitTimeRatio), Judge: judgeLimit},
		{ID: "Z4", Text: "Splice carries a relay without touching the bytes.",
			Theirs: "10,677 splice, no read or write of data", Judge: judgeSplice},
		{ID: "Z5", Text: "http.ServeContent keeps sendfile for ranges.", Theirs: "stated, not shown", Judge: judgeRange},
	}
}

// measured is what was measured of a variant.
type measured struct {
	id       string
	time     lab.Spread // ms per GiB
	calls    lab.Spread // per GiB
	known    bool       // calls are
	shares   shares     // of all runs
	evidence string
}

// measurements looks variants up. absent says which of them was not run, and why, if one was not.
func measurements(e *lab.Experiment, r lab.Results, ids ...string) (all []measured, absent string) {
	for _, id := range ids {
		m := r.Of("copy/"+id, warm)
		if m == nil {
			return nil, r.Absent("copy/"+id, warm)
		}
		all = append(all, newMeasured(e, id, m))
	}
	return all, ""
}

func newMeasured(e *lab.Experiment, id string, of *lab.Measurement) (m measured) {
	m.id = id
	m.time, _ = e.Figure(of) // of has outcomes
	extra := func(name string) lab.Spread {
		s, _ := e.FigureOf(of, func(o lab.Outcome) float64 { return o.Extra[name] })
		return s
	}
	m.calls = extra(callsPerGiB)
	m.known = m.calls.Low > 0
	percent := func(name string) float64 { return extra(name).Value / 100 }
	m.shares = shares{percent(sendfilePercent), percent(splicePercent), percent(copiedPercent)}
	m.evidence = fmt.Sprintf("copy/%s: by %s, %.0f ms of processor time per GiB", id, m.shares.path(), m.time.Value)
	if m.known {
		m.evidence += fmt.Sprintf(", %s system calls per GiB", humanize.Comma(int64(m.calls.Value)))
	}
	return m
}

func untested(why string) lab.Verdict { return lab.Verdict{Holds: lab.Untested, Ours: "-", Why: why} }

const tooNoisy = "The runs differ too much."

// wrongPath says that a server's bytes went another way than the article's, which explains every other
// difference; "" if they did not.
func wrongPath(m measured, want path) string {
	if m.shares.path() == want {
		return ""
	}
	return fmt.Sprintf("the bytes of copy/%s went by %s here, not by %s.", m.id, m.shares.path(), want)
}

func judgeWrapperTime(e *lab.Experiment, r lab.Results) lab.Verdict {
	all, absent := measurements(e, r, "raw", "wrapped")
	if absent != "" {
		return untested(absent)
	}
	raw, wrapped := all[0], all[1]
	times := lab.Over(wrapped.time, raw.time)
	v := lab.Verdict{Holds: lab.Factor(times, wrappedTimeRatio), Ours: times.String(),
		Evidence: []string{raw.evidence, wrapped.evidence}}
	if v.Why = wrongPath(raw, bySendfile); v.Why != "" {
		return v
	}
	switch v.Holds {
	case lab.Yes:
		v.Why = "Every byte is copied into the process and out again."
	case lab.InPart:
		v.Why = "The copies cost processor time, but less of all: on loopback the sender also pays for receiving."
	case lab.No:
		v.Why = "What the copies cost is lost in what sending costs on either path."
	default:
		v.Why = tooNoisy
	}
	return v
}

func judgeWrapperCalls(e *lab.Experiment, r lab.Results) lab.Verdict {
	all, absent := measurements(e, r, "raw", "wrapped")
	if absent != "" {
		return untested(absent)
	}
	raw, wrapped := all[0], all[1]
	if !raw.known || !wrapped.known {
		return untested("Without strace the kernel does not count these system calls.")
	}
	times := lab.Over(wrapped.calls, raw.calls)
	v := lab.Verdict{Holds: lab.Factor(times, wrappedCallRatio), Ours: times.String(),
		Evidence: []string{raw.evidence, wrapped.evidence}}
	each := humanize.IBytes(uint64((1 << 30) / raw.calls.Value))
	if v.Why = wrongPath(raw, bySendfile); v.Why != "" {
		return v
	}
	switch v.Holds {
	case lab.Yes:
		v.Why = "A read and a write for every 32 KiB; a sendfile goes on while the client keeps up, here for " + each + "."
	case lab.Unclear:
		v.Why = tooNoisy
	default:
		v.Why = "A sendfile moves as much as the socket takes, here only " + each + "."
	}
	return v
}

func judgeLimit(e *lab.Experiment, r lab.Results) lab.Verdict {
	all, absent := measurements(e, r, "raw", "limit")
	if absent != "" {
		return untested(absent)
	}
	raw, limit := all[0], all[1]
	times := lab.Over(limit.time, raw.time)
	v := lab.Verdict{Holds: lab.NotMore(times), Evidence: []string{raw.evidence, limit.evidence},
		Ours: fmt.Sprintf("%s, %s the processor time", limit.shares.path(), times)}
	if v.Why = wrongPath(limit, bySendfile); v.Why != "" {
		v.Holds = lab.No
		return v
	}
	switch v.Holds {
	case lab.Yes:
		v.Why = "The connection unwraps one LimitedReader, but not two."
	case lab.No:
		v.Holds, v.Why = lab.InPart, "it keeps sendfile, but costs more processor time than without."
	default:
		v.Why = tooNoisy
	}
	return v
}

// touchedMax is how much of the data a relay may write that is said not to touch it: headers, say.
const touchedMax = 0.01

func judgeSplice(e *lab.Experiment, r lab.Results) lab.Verdict {
	all, absent := measurements(e, r, "splice")
	if absent != "" {
		return untested(absent)
	}
	m := all[0]
	v := lab.Verdict{Holds: lab.Yes, Evidence: []string{m.evidence},
		Ours: fmt.Sprintf("%s, %.1f %% of the bytes written by the process", m.shares.path(), 100*m.shares.copied),
		Why:  "both ends are plain TCP connections; if one is wrapped, io.Copy copies."}
	if copying, absent := measurements(e, r, "relay32"); absent == "" {
		v.Ours += fmt.Sprintf(", %s the processor time of a copying relay", lab.Over(m.time, copying[0].time))
		v.Evidence = append(v.Evidence, copying[0].evidence)
	}
	switch wrong := wrongPath(m, bySplice); {
	case wrong != "":
		v.Holds, v.Why = lab.No, wrong
	case m.shares.copied > touchedMax:
		v.Holds, v.Why = lab.InPart, "most bytes are spliced, but the process copies some."
	}
	return v
}

func judgeRange(e *lab.Experiment, r lab.Results) lab.Verdict {
	all, absent := measurements(e, r, "http-range")
	if absent != "" {
		return untested(absent)
	}
	m := all[0]
	v := lab.Verdict{Holds: lab.Yes, Ours: string(m.shares.path()), Evidence: []string{m.evidence},
		Why: "For one range of a plain file; several ranges are copied."}
	if bare, absent := measurements(e, r, "raw"); absent == "" {
		v.Ours += fmt.Sprintf(", %s the processor time of copy/raw", lab.Over(m.time, bare[0].time))
		v.Evidence = append(v.Evidence, bare[0].evidence)
	}
	if wrong := wrongPath(m, bySendfile); wrong != "" {
		v.Holds, v.Why = lab.No, wrong
	}
	return v
}
