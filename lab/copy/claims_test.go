package copy

import (
	"math"
	"strings"
	"testing"
)

const gib = 1 << 30

// measured returns a measurement with these figures.
func measured(path Path, cpuMillis float64, calls int64) Measured {
	c := &Calls{}
	switch path {
	case BySendfile:
		c.Sendfile = Count{Calls: calls, Bytes: gib}
	case BySplice:
		c.Splice = Count{Calls: calls, Bytes: 2 * gib}
	default:
		c.Read, c.Write = Count{Calls: calls / 2, Bytes: gib}, Count{Calls: calls / 2, Bytes: gib}
	}
	timed := Outcome{Bytes: gib, CPUSeconds: cpuMillis / 1e3}
	return Measured{Timed: []Outcome{timed}, Traced: &Outcome{Bytes: gib, Calls: c}}
}

// article returns the article's measurements, and likely ones where it has none.
func article() map[string]Measured {
	return map[string]Measured{
		"raw":        measured(BySendfile, 54, 1188),
		"wrapped":    measured(ByCopy, 184, 52_437),
		"limit":      measured(BySendfile, 60, 1163),
		"splice":     measured(BySplice, 100, 21_372),
		"relay32":    measured(ByCopy, 300, 65_536),
		"http-range": measured(BySendfile, 55, 1200),
	}
}

func TestVerdicts(t *testing.T) {
	tests := []struct {
		name   string
		change func(by map[string]Measured)
		want   [5]Holds
	}{
		{"the article's own", func(map[string]Measured) {}, [5]Holds{Yes, Yes, Yes, Yes, Yes}},
		{"nothing", func(by map[string]Measured) { clear(by) }, [5]Holds{Unknown, Unknown, Unknown, Unknown, Unknown}},
		{"no raw", func(by map[string]Measured) { delete(by, "raw") }, [5]Holds{Unknown, Unknown, Unknown, Yes, Unknown}},
		{"a cheap wrapper", func(by map[string]Measured) { by["wrapped"] = measured(ByCopy, 108, 52_437) }, [5]Holds{No, Yes, Yes, Yes, Yes}},
		{"a free wrapper", func(by map[string]Measured) { by["wrapped"] = measured(ByCopy, 54, 52_437) }, [5]Holds{No, Yes, Yes, Yes, Yes}},
		{"small sendfiles", func(by map[string]Measured) { by["raw"] = measured(BySendfile, 54, 16_384) }, [5]Holds{Yes, No, Yes, Yes, Yes}},
		{"an expensive limit", func(by map[string]Measured) { by["limit"] = measured(BySendfile, 100, 1163) }, [5]Holds{Yes, Yes, No, Yes, Yes}},
		{"a limit that copies", func(by map[string]Measured) { by["limit"] = measured(ByCopy, 60, 60_000) }, [5]Holds{Yes, Yes, No, Yes, Yes}},
		{"a splice that copies", func(by map[string]Measured) { by["splice"] = measured(ByCopy, 60, 60_000) }, [5]Holds{Yes, Yes, Yes, No, Yes}},
		{"a splice with a rest", func(by map[string]Measured) {
			by["splice"].Traced.Calls.Write.Bytes = gib / 50
		}, [5]Holds{Yes, Yes, Yes, No, Yes}},
		{"ranges that copy", func(by map[string]Measured) { by["http-range"] = measured(ByCopy, 60, 60_000) }, [5]Holds{Yes, Yes, Yes, Yes, No}},
	}
	for _, test := range tests {
		by := article()
		test.change(by)
		for i, v := range Verdicts(by) {
			if v.Holds != test.want[i] {
				t.Errorf("%s: %s %s, want %s: %+v", test.name, v.ID, v.Holds, test.want[i], v)
			}
			if v.Claim == "" || v.Theirs == "" || v.Ours == "" || v.Why == "" {
				t.Errorf("%s: %s is incomplete: %+v", test.name, v.ID, v)
			}
		}
	}
}

// TestVerdictsNameFigures checks the text of verdicts.
func TestVerdictsNameFigures(t *testing.T) {
	v := Verdicts(article())
	for i, want := range []string{"3.4 times", "44 times", "sendfile, 1.11 times", "0.33 times", "sendfile, 1.02 times"} {
		if !strings.Contains(v[i].Ours, want) {
			t.Errorf("%s: ours is %q, want %q in it", v[i].ID, v[i].Ours, want)
		}
	}
}

// TestVerdictsWithoutTrace uses the kernel's counters, which every process can read for itself.
func TestVerdictsWithoutTrace(t *testing.T) {
	plain := func(cpuMillis float64, io IO) Measured {
		return Measured{Timed: []Outcome{{Bytes: gib, CPUSeconds: cpuMillis / 1e3, IO: io}}}
	}
	sendfile := IO{ReadCalls: 1200, WriteCalls: 1190, ReadBytes: gib, WriteBytes: gib}
	copied := IO{ReadCalls: 32_770, WriteCalls: 32_769, ReadBytes: gib, WriteBytes: gib}
	for i, v := range Verdicts(map[string]Measured{
		"raw": plain(54, sendfile), "wrapped": plain(184, copied), "limit": plain(60, sendfile),
		"splice": plain(100, IO{ReadCalls: 9, WriteCalls: 3, ReadBytes: 900, WriteBytes: 300}), "relay32": plain(300, copied),
		"http-range": plain(60, sendfile),
	}) {
		if v.Holds != Yes {
			t.Errorf("verdict %d: %+v", i, v)
		}
	}
	spliced := Outcome{Bytes: gib}
	if _, known := spliced.CallsPerGiB(); known || spliced.Path() != BySplice {
		t.Errorf("%+v: path %s, calls known %t", spliced, spliced.Path(), known)
	}
	lost := map[string]Measured{"raw": {Timed: []Outcome{spliced}}, "wrapped": plain(1, copied)}
	if v := Verdicts(lost)[1]; v.Holds != Unknown {
		t.Errorf("system calls of a splice without trace: %+v", v)
	}
}

func TestRatioIsOfRounds(t *testing.T) {
	rounds := func(millis ...float64) (m Measured) {
		for _, ms := range millis {
			m.Timed = append(m.Timed, Outcome{Bytes: gib, CPUSeconds: ms / 1e3})
		}
		return m
	}
	a, b := rounds(20, 400, 60), rounds(10, 100, 50)
	if r := a.CPURatio(b); math.Abs(r-2) > 1e-9 {
		t.Errorf("ratio %g, want 2: the median of 2, 4 and 1.2", r)
	}
	if c := rounds(4, 1, 3, 2).CPUMillisPerGiB(); math.Abs(c-2.5) > 1e-9 {
		t.Errorf("median %g, want 2.5", c)
	}
}
