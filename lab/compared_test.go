package lab

import (
	"slices"
	"testing"

	"github.com/thresh-dev/thresh/internal/quantile"
)

// same compares all but the values of the rounds.
func (s Summary) same(t Summary) bool {
	return s.Median == t.Median && s.Low == t.Low && s.High == t.High && s.Rounds == t.Rounds
}

func TestSummarize(t *testing.T) {
	tests := []struct {
		values []float64
		want   Summary
	}{
		{[]float64{3}, Summary{3, 3, 3, 1, nil}},
		{[]float64{4, 1}, Summary{2.5, 1, 4, 2, nil}},
		{[]float64{9, 1, 2}, Summary{2, 1, 9, 3, nil}},
		{[]float64{5, 4, 100, 1, 2}, Summary{4, 1, 100, 5, nil}},
		{[]float64{8, 2, 4, 6}, Summary{5, 2, 8, 4, nil}},
	}
	for _, test := range tests {
		before := slices.Clone(test.values)
		if got := Summarize(test.values); !got.same(test.want) {
			t.Errorf("Summarize(%v) = %v, want %v", test.values, got, test.want)
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
	if got := Summarize(quantile.Ratios(a, b)); !got.same(Summary{2, 2, 2, 5, nil}) {
		t.Errorf("ratios of equally disturbed rounds: %v", got)
	}
}

func TestTarget(t *testing.T) {
	tests := []struct {
		target Target
		value  float64
		met    bool
		text   string
	}{
		{AtLeast(1.5), 1.5, true, ">= 1.5"},
		{AtLeast(1.5), 1.49, false, ">= 1.5"},
		{AtMost(64), 64, true, "<= 64"},
		{AtMost(64), 64.1, false, "<= 64"},
		{Target{}, 0, true, "-"},
	}
	for _, test := range tests {
		if got := test.target.Met(test.value); got != test.met || test.target.String() != test.text {
			t.Errorf("%v met by %v: %v, want %v", test.target, test.value, got, test.met)
		}
	}
}

// TestRowVerdict: what was timed beside busy neighbours, or in too few rounds, can't be told; what was counted can.
func TestRowVerdict(t *testing.T) {
	quiet, busy := &Measurement{Variant: "peers/cmp"}, &Measurement{Variant: "peers/cmp", OthersShare: OthersMost + 0.01}
	number := func(rounds int) Summary { return Summary{Median: 2, Low: 1, High: 3, Rounds: rounds} }
	for _, c := range []struct {
		row         Row
		quiet, busy string
	}{
		{Row{What: TimesItsRate, Number: number(5)}, Info, Info},
		{Row{What: TimesItsRate, Number: number(5), Target: AtLeast(2)}, Met, string(Unclear)},
		{Row{What: TimesItsRate, Number: number(5), Target: AtLeast(2.1)}, Missed, string(Unclear)},
		{Row{What: TimesItsRate, Number: number(2), Target: AtLeast(2)}, string(Unclear), string(Unclear)},
		{Row{What: MillisecondsMore, Number: number(3), Target: AtMost(2)}, Met, string(Unclear)},
		{Row{What: TimesItsCPU, Number: number(3), Target: AtMost(2)}, Met, Met},
		{Row{What: TimesItsCPU, Number: number(2), Target: AtMost(2)}, string(Unclear), string(Unclear)},
		{Row{What: OwnMiB, Number: number(1), Target: AtMost(1)}, Missed, Missed},
		{Row{What: "data system calls a GiB", Number: number(1), Target: AtMost(2)}, Met, Met},
	} {
		if q, b := c.row.Verdict(quiet), c.row.Verdict(busy); q != c.quiet || b != c.busy {
			t.Errorf("%+v: %s and beside others %s, want %s and %s", c.row, q, b, c.quiet, c.busy)
		}
	}
}

func TestSituationVerdict(t *testing.T) {
	quiet, busy := &Measurement{}, &Measurement{OthersShare: 0.5}
	for _, test := range []struct {
		median, least float64
		rounds        int
		beside        string
		m             *Measurement
		want          string
	}{
		{1.05, 2, 5, "", quiet, Right}, {0.3, 0.3, 5, "", quiet, Right}, {1.06, 1.05, 5, "", quiet, Undecided},
		{1.06, 1.06, 5, "", quiet, WrongWay}, {1.06, 1.06, 2, "", quiet, string(Unclear)}, {1, 1, 5, "", busy, string(Unclear)},
		{1, 1, 5, "spin", busy, Right}, // the neighbour belongs to it
	} {
		s := Situation{Ratio: Summary{Median: test.median, Rounds: test.rounds}, Least: test.least, Beside: test.beside}
		if got := s.Verdict(test.m); got != test.want {
			t.Errorf("%+v: %s, want %s", test, got, test.want)
		}
	}
}
