package copy

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/evidence"
)

// Ratios of the article's figures.
const (
	wrappedTimeRatio = 184. / 54
	wrappedCallRatio = 131_093. / 2_972
	limitTimeRatio   = 60. / 54
)

func claims() []lab.Claim {
	return []lab.Claim{
		evidence.Claim("Z1", "One wrapper around the file costs 3.4 times the processor time.",
			fmt.Sprintf("%.1f times: 54 and 184 ms per GiB", wrappedTimeRatio), judgeWrapperTime),
		evidence.Claim("Z2", "And it costs 44 times the system calls.",
			fmt.Sprintf("%.0f times: 2,972 and 131,093 for five transfers", wrappedCallRatio), judgeWrapperCalls),
		evidence.Claim("Z3", "io.LimitReader is free.",
			fmt.Sprintf("sendfile, %.2f times the processor time", limitTimeRatio), judgeLimit),
		evidence.Claim("Z4", "Splice carries a relay without touching the bytes.",
			"10,677 splice, no read or write of data", judgeSplice),
		evidence.Claim("Z5", "http.ServeContent keeps sendfile for ranges.", "stated, not shown", judgeRange),
	}
}

// measured is what was measured of a variant.
type measured struct {
	id     string
	time   lab.Spread // ms per GiB
	calls  lab.Spread // per GiB
	known  bool       // calls are
	shares shares     // of all runs
}

// measurement looks a variant up.
func measurement(f *evidence.Figures, id string) (m measured, ok bool) {
	if m.time, ok = f.Of(id, warm); !ok {
		return m, false
	}
	extra := func(name string) lab.Spread {
		s, _ := f.Other(id, warm, func(o lab.Outcome) float64 { return o.Extra[name] }) // it has outcomes
		return s
	}
	m.id, m.calls = id, extra(callsPerGiB)
	m.known = m.calls.Low > 0
	percent := func(name string) float64 { return extra(name).Value / 100 }
	m.shares = shares{percent(sendfilePercent), percent(splicePercent), percent(copiedPercent)}
	return m, true
}

// measurements looks two variants up, and adds them to the evidence if both were measured.
func measurements(f *evidence.Figures, a, b string) (first, second measured, ok bool) {
	first, ok = measurement(f, a)
	second, okSecond := measurement(f, b)
	if !ok || !okSecond {
		return first, second, false
	}
	first.note(f)
	second.note(f)
	return first, second, true
}

func (m measured) note(f *evidence.Figures) {
	text := fmt.Sprintf("copy/%s: by %s, %.0f ms of processor time per GiB", m.id, m.shares.path(), m.time.Value)
	if m.known {
		text += fmt.Sprintf(", %s system calls per GiB", humanize.Comma(int64(m.calls.Value)))
	}
	f.Note("%s", text)
}

const tooNoisy = "The runs differ too much."

// wrongPath says that a server's bytes went another way than the article's, which explains every other
// difference; "" if they did not.
func wrongPath(m measured, want path) string {
	if m.shares.path() == want {
		return ""
	}
	return fmt.Sprintf("The bytes of copy/%s went by %s here, not by %s.", m.id, m.shares.path(), want)
}

func judgeWrapperTime(f *evidence.Figures) (v lab.Verdict) {
	raw, wrapped, ok := measurements(f, "raw", "wrapped")
	if !ok {
		return v
	}
	times := lab.Over(wrapped.time, raw.time)
	v = lab.Verdict{Holds: lab.Factor(times, wrappedTimeRatio), Ours: times.String()}
	if v.Why = wrongPath(raw, bySendfile); v.Why != "" {
		return v
	}
	more := wrapped.time.Value - raw.time.Value
	switch v.Holds {
	case lab.Yes:
		v.Why = fmt.Sprintf("By read and write %.0f %% of the bytes are copied into the process and out again: that "+
			"adds %.0f ms to the %.0f that a GiB takes by sendfile.", 100*wrapped.shares.copied, more, raw.time.Value)
	case lab.InPart:
		v.Why = fmt.Sprintf("Copying adds %.0f ms a GiB, 130 in the article, but sendfile itself takes %.0f here "+
			"and 54 there. What takes its time was not measured.", more, raw.time.Value)
	case lab.No:
		v.Why = fmt.Sprintf("%.0f ms a GiB by copying and %.0f by sendfile are no difference. What takes the time of "+
			"both was not measured.", wrapped.time.Value, raw.time.Value)
	default:
		v.Why = tooNoisy
	}
	return v
}

func judgeWrapperCalls(f *evidence.Figures) (v lab.Verdict) {
	raw, wrapped, ok := measurements(f, "raw", "wrapped")
	if !ok {
		return v
	}
	if !raw.known || !wrapped.known {
		return lab.Verdict{Why: "without strace the kernel does not count these system calls"}
	}
	times := lab.Over(wrapped.calls, raw.calls)
	v = lab.Verdict{Holds: lab.Factor(times, wrappedCallRatio), Ours: times.String()}
	each := func(calls float64) string { return humanize.IBytes(uint64((1 << 30) / calls)) }
	if v.Why = wrongPath(raw, bySendfile); v.Why != "" {
		return v
	}
	const callsOfCopy = 2 // a read and a write
	switch v.Holds {
	case lab.Yes:
		v.Why = fmt.Sprintf("A read and a write move %s, a sendfile moves %s.",
			each(wrapped.calls.Value/callsOfCopy), each(raw.calls.Value))
	case lab.Unclear:
		v.Why = tooNoisy
	default:
		v.Why = fmt.Sprintf("A sendfile moves only %s here, a read and a write %s.",
			each(raw.calls.Value), each(wrapped.calls.Value/callsOfCopy))
	}
	return v
}

func judgeLimit(f *evidence.Figures) (v lab.Verdict) {
	raw, limit, ok := measurements(f, "raw", "limit")
	if !ok {
		return v
	}
	times := lab.Over(limit.time, raw.time)
	v = lab.Verdict{Holds: lab.NotMore(times), Ours: fmt.Sprintf("%s, %s the processor time", limit.shares.path(), times)}
	if v.Why = wrongPath(limit, bySendfile); v.Why != "" {
		v.Holds = lab.No
		return v
	}
	switch v.Holds {
	case lab.Yes:
		v.Why = "With a LimitedReader the bytes go by sendfile too: the connection looks inside it."
	case lab.No:
		v.Holds, v.Why = lab.InPart, "It keeps sendfile, but costs more processor time than without: why was not measured."
	default:
		v.Why = tooNoisy
	}
	return v
}

// touchedMax is how much of the data a relay may write that is said not to touch it: headers, say.
const touchedMax = 0.01

func judgeSplice(f *evidence.Figures) (v lab.Verdict) {
	m, ok := measurement(f, "splice")
	if !ok {
		return v
	}
	m.note(f)
	v = lab.Verdict{Holds: lab.Yes,
		Ours: fmt.Sprintf("%s, %.1f %% of the bytes written by the process", m.shares.path(), 100*m.shares.copied),
		Why:  fmt.Sprintf("Between two plain TCP connections %.1f %% of the bytes are spliced.", 100*m.shares.splice)}
	if copying, ok := measurement(f, "relay32"); ok {
		v.Ours += fmt.Sprintf(", %s the processor time of a copying relay", lab.Over(m.time, copying.time))
		copying.note(f)
	}
	switch wrong := wrongPath(m, bySplice); {
	case wrong != "":
		v.Holds, v.Why = lab.No, wrong
	case m.shares.copied > touchedMax:
		v.Holds, v.Why = lab.InPart, "Most bytes are spliced, but the process copies some."
	}
	return v
}

func judgeRange(f *evidence.Figures) (v lab.Verdict) {
	m, ok := measurement(f, "http-range")
	if !ok {
		return v
	}
	m.note(f)
	v = lab.Verdict{Holds: lab.Yes, Ours: string(m.shares.path()),
		Why: "One range of a plain file goes by sendfile. Several ranges were not measured."}
	if bare, ok := measurement(f, "raw"); ok {
		v.Ours += fmt.Sprintf(", %s the processor time of copy/raw", lab.Over(m.time, bare.time))
		bare.note(f)
	}
	if wrong := wrongPath(m, bySendfile); wrong != "" {
		v.Holds, v.Why = lab.No, wrong
	}
	return v
}
