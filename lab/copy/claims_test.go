package copy

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
)

const gib = 1 << 30

// went returns an outcome of a traced server that sent a GiB with so many calls.
func went(by path, callCount int64) outcome {
	c := &calls{}
	switch by {
	case bySendfile:
		c.sendfile = count{calls: callCount, bytes: gib}
	case bySplice:
		c.splice = count{calls: callCount, bytes: 2 * gib}
	default:
		c.read, c.write = count{calls: callCount / 2, bytes: gib}, count{calls: callCount / 2, bytes: gib}
	}
	return outcome{bytes: gib, calls: c}
}

// runs returns the measurement of a server with runs that took these milliseconds of processor time.
func runs(by path, callCount int64, milliseconds ...float64) lab.Measurement {
	traced, m := went(by, callCount), lab.Measurement{Setting: warm}
	if len(milliseconds) == 1 { // as often as they are run: of a single run the range would not be known
		milliseconds = slices.Repeat(milliseconds, Experiment().Method.Runs)
	}
	for _, ms := range milliseconds {
		m.Outcomes = append(m.Outcomes, summary(outcome{}, &traced, outcome{bytes: gib, systemSeconds: ms / 1e3}))
	}
	return m
}

// session returns the article's measurements, and likely ones where it has none.
func session() map[string]lab.Measurement {
	return map[string]lab.Measurement{
		"raw":        runs(bySendfile, 1188, 54),
		"wrapped":    runs(byCopy, 52_437, 184),
		"limit":      runs(bySendfile, 1163, 60),
		"splice":     runs(bySplice, 21_372, 100),
		"relay32":    runs(byCopy, 65_536, 300),
		"http-range": runs(bySendfile, 1200, 55),
	}
}

func verdicts(by map[string]lab.Measurement) (all []lab.Verdict) {
	e, r := Experiment(), lab.Results{}
	for id, m := range by {
		m.Variant = "copy/" + id
		r.Measurements = append(r.Measurements, m)
	}
	for _, c := range e.Claims {
		all = append(all, c.Judge(e, r))
	}
	return all
}

func TestClaims(t *testing.T) {
	const yes, part, no, unclear, untested = lab.Yes, lab.InPart, lab.No, lab.Unclear, lab.Untested
	type by = map[string]lab.Measurement
	rest := went(bySplice, 9)
	rest.calls.write.bytes = gib / 50
	touching := lab.Measurement{Setting: warm, Outcomes: []lab.Outcome{summary(outcome{}, &rest, outcome{bytes: gib, userSeconds: .1})}}
	wrong := runs(bySendfile, 1188, 54)
	wrong.Want, wrong.Wrong = "a", "b"
	tests := []struct {
		name   string
		change by
		want   [5]lab.Holds
		why    string // of one of the verdicts
	}{
		{"the article's own", nil, [5]lab.Holds{yes, yes, yes, yes, yes}, "A read and a write move 40 KiB, a sendfile moves 883 KiB"},
		{"no raw", by{"raw": {}}, [5]lab.Holds{untested, untested, untested, yes, yes}, "copy/raw was not run"},
		{"wrong bytes", by{"raw": wrong}, [5]lab.Holds{untested, untested, untested, yes, yes}, "b instead of a"},
		{"a cheap wrapper", by{"wrapped": runs(byCopy, 52_437, 90)}, [5]lab.Holds{part, yes, yes, yes, yes}, "adds 36 ms a GiB"},
		{"a free wrapper", by{"wrapped": runs(byCopy, 52_437, 54)}, [5]lab.Holds{no, yes, yes, yes, yes}, "54 ms a GiB by copying and 54 by sendfile"},
		{"a restless wrapper", by{"wrapped": runs(byCopy, 52_437, 40, 170, 300)}, [5]lab.Holds{unclear, yes, yes, yes, yes}, "differ"},
		{"small sendfiles", by{"raw": runs(bySendfile, 16_384, 54)}, [5]lab.Holds{yes, part, yes, yes, yes}, "only 64 KiB here"},
		{"tiny sendfiles", by{"raw": runs(bySendfile, 60_000, 54)}, [5]lab.Holds{yes, no, yes, yes, yes}, "only 17 KiB"},
		{"raw copies", by{"raw": runs(byCopy, 60_000, 184)}, [5]lab.Holds{no, no, yes, yes, yes}, "copy/raw went by copy"},
		{"an expensive limit", by{"limit": runs(bySendfile, 1163, 100)}, [5]lab.Holds{yes, yes, part, yes, yes}, "costs more"},
		{"a restless limit", by{"limit": runs(bySendfile, 1163, 30, 75, 120)}, [5]lab.Holds{yes, yes, unclear, yes, yes}, "differ"},
		{"a limit that copies", by{"limit": runs(byCopy, 60_000, 54)}, [5]lab.Holds{yes, yes, no, yes, yes}, "copy/limit went by copy"},
		{"a splice that copies", by{"splice": runs(byCopy, 60_000, 60)}, [5]lab.Holds{yes, yes, yes, no, yes}, "copy/splice went by copy"},
		{"a splice with a rest", by{"splice": touching}, [5]lab.Holds{yes, yes, yes, part, yes}, "process copies some"},
		{"no copying relay", by{"relay32": {}}, [5]lab.Holds{yes, yes, yes, yes, yes}, "plain TCP"},
		{"ranges that copy", by{"http-range": runs(byCopy, 60_000, 60)}, [5]lab.Holds{yes, yes, yes, yes, no}, "copy/http-range went by copy"},
	}
	for _, test := range tests {
		all, found := session(), false
		maps.Copy(all, test.change)
		for i, v := range verdicts(all) {
			if v.Holds != test.want[i] || v.Holds != untested && v.Ours == "" || v.Why == "" || (v.Holds != untested) != (len(v.Evidence) > 0) {
				t.Errorf("%s: Z%d is %+v, want %s", test.name, i+1, v, test.want[i])
			}
			found = found || strings.Contains(v.Why, test.why)
		}
		if !found {
			t.Errorf("%s: no verdict says %q", test.name, test.why)
		}
	}
	for i, v := range verdicts(nil) {
		if v.Holds != untested {
			t.Errorf("nothing was run: Z%d is %+v", i+1, v)
		}
	}
}

// TestClaimsNameFigures checks the text of verdicts.
func TestClaimsNameFigures(t *testing.T) {
	v := verdicts(session())
	for i, want := range []string{"3.41 times", "44.14 times", "sendfile, 1.11 times", "0.0 % of the bytes", "sendfile, 1.02 times"} {
		if !strings.Contains(v[i].Ours, want) {
			t.Errorf("Z%d: ours is %q, want %q in it", i+1, v[i].Ours, want)
		}
	}
	if want := "copy/raw: by sendfile, 54 ms of processor time per GiB, 1,188 system calls per GiB"; v[0].Evidence[0] != want {
		t.Errorf("evidence %q, want %q", v[0].Evidence[0], want)
	}
}

// TestClaimsWithoutTrace uses the kernel's counters, which every process can read for itself.
func TestClaimsWithoutTrace(t *testing.T) {
	plain := func(cpuMillis float64, io ioCounts) lab.Measurement {
		o := outcome{bytes: gib, systemSeconds: cpuMillis / 1e3, io: io}
		return lab.Measurement{Setting: warm, Outcomes: slices.Repeat([]lab.Outcome{summary(outcome{}, nil, o)}, 3)}
	}
	sendfile := ioCounts{ReadCalls: 1200, WriteCalls: 1190, ReadBytes: gib, WriteBytes: gib}
	copied := ioCounts{ReadCalls: 32_770, WriteCalls: 32_769, ReadBytes: gib, WriteBytes: gib}
	spliced := ioCounts{ReadCalls: 9, WriteCalls: 3, ReadBytes: 900, WriteBytes: 300}
	all := map[string]lab.Measurement{
		"raw": plain(54, sendfile), "wrapped": plain(184, copied), "limit": plain(60, sendfile),
		"splice": plain(100, spliced), "relay32": plain(300, copied), "http-range": plain(60, sendfile),
	}
	for i, v := range verdicts(all) {
		if v.Holds != lab.Yes {
			t.Errorf("Z%d: %+v", i+1, v)
		}
	}
	all["raw"] = all["splice"]
	if v := verdicts(all)[1]; v.Holds != lab.Untested || !strings.Contains(v.Why, "strace") {
		t.Errorf("system calls of a splice without trace: %+v", v)
	}
}
