package copy

import (
	"fmt"

	"github.com/dustin/go-humanize"
)

// Verdict says whether a measurement confirms a claim of the article.
type Verdict struct {
	ID     string `json:"id"` // "Z1"
	Claim  string `json:"claim"`
	Theirs string `json:"theirs"`
	Ours   string `json:"ours"`
	Holds  Holds  `json:"holds"`
	Why    string `json:"why"`
}

// Holds says whether a claim holds.
type Holds string

// The values of Holds.
const (
	Yes     Holds = "holds"
	No      Holds = "does not hold here"
	Unknown Holds = "not measured"
)

// Ratios of the article's figures.
const (
	wrappedCPURatio = 184. / 54
	wrappedCalls    = 131_093. / 2_972
	limitCPURatio   = 60. / 54
)

// A claim holds here if the ratio is at least enough times the published one: ratios differ between
// machines. A ratio of at most freeRatio counts as no cost.
const (
	enough    = 0.75
	freeRatio = 1.2
)

// Verdicts returns a verdict for each claim of the article, in its order. The measurements are
// given by the variants' IDs.
func Verdicts(by map[string]Measured) []Verdict {
	return []Verdict{wrapperCPU(by), wrapperCalls(by), limitIsFree(by), spliceUntouched(by), rangesKeepSendfile(by)}
}

// have reports whether all of these variants were measured. If not, it sets v accordingly.
func (v *Verdict) have(by map[string]Measured, ids ...string) bool {
	for _, id := range ids {
		if _, ok := by[id]; !ok {
			v.Ours, v.Holds, v.Why = "-", Unknown, "copy/"+id+" was not run"
			return false
		}
	}
	return true
}

// set sets whether the claim holds, and the reason for either case.
func (v *Verdict) set(holds bool, yes, no string) {
	v.Holds, v.Why = Yes, yes
	if !holds {
		v.Holds, v.Why = No, no
	}
}

func wrapperCPU(by map[string]Measured) Verdict {
	v := Verdict{ID: "Z1", Claim: "a wrapper around the file costs 3.4 times the CPU",
		Theirs: fmt.Sprintf("%.1f times", wrappedCPURatio)}
	if !v.have(by, "raw", "wrapped") {
		return v
	}
	ratio := by["wrapped"].CPURatio(by["raw"])
	v.Ours = fmt.Sprintf("%.1f times", ratio)
	no := "the wrapper costs CPU, but less: on loopback the sender also pays for receiving, on either path"
	if ratio < freeRatio {
		no = "the cost of the wrapper is within the difference between runs"
	}
	v.set(ratio >= enough*wrappedCPURatio, "every byte is copied into the process and out again", no)
	return v
}

func wrapperCalls(by map[string]Measured) Verdict {
	v := Verdict{ID: "Z2", Claim: "and 44 times the system calls", Theirs: fmt.Sprintf("%.0f times", wrappedCalls)}
	if !v.have(by, "raw", "wrapped") {
		return v
	}
	wrapped, known := by["wrapped"].CallsPerGiB()
	raw, rawKnown := by["raw"].CallsPerGiB()
	if !known || !rawKnown {
		v.Ours, v.Holds, v.Why = "-", Unknown, "no strace to count system calls"
		return v
	}
	v.Ours = fmt.Sprintf("%.0f times", wrapped/raw)
	each := humanize.IBytes(uint64((1 << 30) / raw))
	v.set(wrapped/raw >= enough*wrappedCalls,
		"a read and a write for every 32 KiB; a sendfile continues while the client keeps up, here for "+each,
		"a sendfile moves as much as the socket takes, here "+each)
	return v
}

func limitIsFree(by map[string]Measured) Verdict {
	v := Verdict{ID: "Z3", Claim: "io.LimitReader is free",
		Theirs: fmt.Sprintf("sendfile, %.2f times the CPU", limitCPURatio)}
	if !v.have(by, "raw", "limit") {
		return v
	}
	path, ratio := by["limit"].Path(), by["limit"].CPURatio(by["raw"])
	v.Ours = fmt.Sprintf("%s, %.2f times the CPU", path, ratio)
	no := fmt.Sprintf("it uses sendfile, but more than %.1f times the CPU of raw", freeRatio)
	if path != BySendfile {
		no = fmt.Sprintf("the bytes went by %s", path)
	}
	v.set(path == BySendfile && ratio <= freeRatio, "the connection unwraps one LimitedReader, but not two", no)
	return v
}

func spliceUntouched(by map[string]Measured) Verdict {
	v := Verdict{ID: "Z4", Claim: "splice carries a relay without touching the bytes", Theirs: "splice, no read or write"}
	if !v.have(by, "splice", "relay32") {
		return v
	}
	m := by["splice"]
	touched := float64(m.best().touched()) / float64(m.best().Bytes)
	v.Ours = fmt.Sprintf("%s, %.1f %% of the bytes written by the process, %.2f times the CPU of a copying relay",
		m.Path(), 100*touched, m.CPURatio(by["relay32"]))
	v.set(m.Path() == BySplice && touched < 0.01, "both ends are plain TCP connections; if one is wrapped, it copies",
		fmt.Sprintf("the bytes went by %s", m.Path()))
	return v
}

func rangesKeepSendfile(by map[string]Measured) Verdict {
	v := Verdict{ID: "Z5", Claim: "http.ServeContent keeps sendfile for ranges", Theirs: "stated, not shown"}
	if !v.have(by, "http-range", "raw") {
		return v
	}
	m := by["http-range"]
	v.Ours = fmt.Sprintf("%s, %.2f times the CPU of raw", m.Path(), m.CPURatio(by["raw"]))
	v.set(m.Path() == BySendfile, "for one range of a plain file; several ranges are copied",
		fmt.Sprintf("the bytes went by %s", m.Path()))
	return v
}
