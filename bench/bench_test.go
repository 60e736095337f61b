package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// same compares all but the values of the rounds.
func (s summary) same(t summary) bool {
	return s.Median == t.Median && s.Low == t.Low && s.High == t.High && s.Rounds == t.Rounds
}

func TestSummarize(t *testing.T) {
	tests := []struct {
		values []float64
		want   summary
	}{
		{[]float64{3}, summary{3, 3, 3, 1, nil}},
		{[]float64{4, 1}, summary{2.5, 1, 4, 2, nil}},
		{[]float64{9, 1, 2}, summary{2, 1, 9, 3, nil}},
		{[]float64{5, 4, 100, 1, 2}, summary{4, 1, 100, 5, nil}},
		{[]float64{8, 2, 4, 6}, summary{5, 2, 8, 4, nil}},
	}
	for _, test := range tests {
		before := slices.Clone(test.values)
		if got := summarize(test.values); !got.same(test.want) {
			t.Errorf("summarize(%v) = %v, want %v", test.values, got, test.want)
		}
		if !slices.Equal(before, test.values) {
			t.Errorf("summarize changed its argument to %v", test.values)
		}
	}
}

// TestRatiosGoByRound checks that a disturbance of one round does not change the median.
func TestRatiosGoByRound(t *testing.T) {
	a := []float64{2, 20, 2, 2, 2}
	b := []float64{1, 10, 1, 1, 1}
	if got := summarize(ratios(a, b)); !got.same(summary{2, 2, 2, 5, nil}) {
		t.Errorf("ratios of equally disturbed rounds: %v", got)
	}
}

func TestTarget(t *testing.T) {
	tests := []struct {
		target target
		value  float64
		met    bool
		text   string
	}{
		{atLeast(1.5), 1.5, true, ">= 1.5"},
		{atLeast(1.5), 1.49, false, ">= 1.5"},
		{atMost(64), 64, true, "<= 64"},
		{atMost(64), 64.1, false, "<= 64"},
		{target{}, 0, true, "-"},
	}
	for _, test := range tests {
		if got := test.target.met(test.value); got != test.met || test.target.String() != test.text {
			t.Errorf("%v met by %v: %v, want %v", test.target, test.value, got, test.met)
		}
	}
}

func TestParseReceipt(t *testing.T) {
	const good = `{"bytes":4294967296,"seconds":0.1,"wall":"memory","verdict":"95 %","kernel":"avx512"}` + "\n"
	got, err := parseReceipt("thresh: note: something\n{\"other\":1}\n" + good)
	want := receipt{Bytes: 4 << 30, Seconds: 0.1, Wall: "memory", Verdict: "95 %", Kernel: "avx512"}
	if err != nil || got != want {
		t.Errorf("receipt %+v, error %v", got, err)
	}
	for _, bad := range []string{"", "no object", "{broken", `{"wall":"memory"}`, `{"bytes":5,"seconds":0}`} {
		if r, err := parseReceipt(bad); err == nil {
			t.Errorf("no error for %q, but %+v", bad, r)
		}
	}
}

func TestParseOwnMemory(t *testing.T) {
	got, err := parseOwnMemory("Name:\tthresh\nVmHWM:\t 9000 kB\nRssAnon:\t     100 kB\nRssFile:\t 8000 kB\nRssShmem:\t 4 kB\n")
	if err != nil || got != 104<<10 {
		t.Errorf("%d bytes, error %v", got, err)
	}
	if _, err := parseOwnMemory("Name:\tthresh\nState:\tZ (zombie)\n"); !errors.Is(err, errNoMemory) {
		t.Errorf("error %v for a process that has ended", err)
	}
	if _, err := parseOwnMemory("RssAnon:\t lots\n"); err == nil || errors.Is(err, errNoMemory) {
		t.Errorf("error %v for a value that is not a number", err)
	}
}

func TestReport(t *testing.T) {
	r := report{
		Date: time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC), Quick: true,
		Rows: []row{
			row{Case: "warm", Peer: "v13", What: timesItsRate, Number: summary{1.75, 1.5, 2, 5, nil},
				Target: atLeast(1.5), ThreshRate: 42, PeerRate: 24, Wall: "memory, 95 %"}.judge(),
			row{Case: "warm", Peer: "v03", What: timesItsRate, Others: 0.47, Number: summary{9, 8, 10, 5, nil}}.judge(),
			row{Case: "memory", Peer: "limit", What: ownMiB, Number: summary{70, 70, 70, 1, nil}, Target: atMost(64)}.judge(),
		},
		Skipped: []string{"cold: fio is not installed"},
	}
	if r.missed() != 1 {
		t.Errorf("%d missed, want 1", r.missed())
	}
	var text bytes.Buffer
	if err := r.print(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1.75", "1.50..2.00", ">= 1.5", "met", "42.00", "info", "MISSED", "wall warm: memory, 95 %",
		"skipped cold: fio", "disturbed warm: others used 47 %", "not to quote",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if strings.Count(text.String(), "wall warm") != 1 {
		t.Errorf("the wall of a case must be printed once:\n%s", text.String())
	}
	name, err := r.save(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var back report
	if err := json.Unmarshal(saved, &back); err != nil || len(back.Rows) != 3 || back.Rows[1].Met != nil {
		t.Errorf("error %v, read back %+v", err, back)
	}
}

func TestParseCalls(t *testing.T) {
	const table = `% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ------------------
 90.12    0.231034          56      4096        12 sendfile
  5.00    0.010000           1        10           write
  3.00    0.010000           1       700           epoll_pwait
  1.88    0.010000           1         4         4 read
------ ----------- ----------- --------- --------- ------------------
100.00    0.261034          54      4810        16 total
`
	data, all, err := parseCalls("strace: a warning\n" + table)
	if err != nil || data != 4110 || all != 4810 {
		t.Errorf("%d of %d calls move data, error %v", data, all, err)
	}
	for _, bad := range []string{"", "100.00 0.2 54 48 16 total", " 1.0 0.1 1 x read", " 1.0 0.1 1 7 futex"} {
		if data, _, err := parseCalls(bad); err == nil {
			t.Errorf("no error for %q, but %d", bad, data)
		}
	}
}

func TestParseWrk(t *testing.T) {
	good := "Running 2s test\n" + `wrk did {"requests":1000,"bytes":4300000,"microseconds":2000100,"errors":0}` + "\n"
	want := requested{Requests: 1000, Bytes: 4300000, Micros: 2000100}
	if got, err := parseWrk(good, 4096); err != nil || got != want {
		t.Errorf("%+v, error %v", got, err)
	}
	for _, bad := range []string{
		"", "wrk did", "wrk did nothing",
		`wrk did {"requests":0,"bytes":0,"microseconds":2000100,"errors":0}`,
		`wrk did {"requests":1000,"bytes":4300000,"microseconds":2000100,"errors":1}`,
		`wrk did {"requests":1000,"bytes":4000000,"microseconds":2000100,"errors":0}`,
		`wrk did {"requests":1000,"bytes":9000000,"microseconds":2000100,"errors":0}`,
	} {
		if got, err := parseWrk(bad, 4096); err == nil {
			t.Errorf("no error for %q, but %+v", bad, got)
		}
	}
}
