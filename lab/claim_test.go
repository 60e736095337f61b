package lab

import (
	"math"
	"strings"
	"testing"
)

// about returns a ratio whose range reaches so far both ways.
func about(value, factor float64) Ratio { return Ratio{value / factor, value, value * factor} }

func exact(value float64) Ratio { return about(value, 1) }

func TestSide(t *testing.T) {
	tests := []struct {
		r     Ratio
		bound float64
		want  int
	}{
		{exact(2), 2, 1},
		{exact(1.9999), 2, -1},
		{Ratio{2, 3, 4}, 2, 1},
		{Ratio{1, 1.5, 1.9999}, 2, -1},
		// The range reaches back over the bound: a little where the value is clear of it.
		{Ratio{1.95, 2.2, 2.4}, 2, 1},
		{Ratio{1.89, 2.2, 2.4}, 2, 0},
		{Ratio{1.95, 2.05, 2.4}, 2, 0},
		{Ratio{1.5, 1.8, 2.05}, 2, -1},
		{Ratio{1.5, 1.8, 2.15}, 2, 0},
		{Ratio{1.5, 1.95, 2.05}, 2, 0},
		{Ratio{1, 2, 4}, 2, 0},
	}
	for _, test := range tests {
		if got := test.r.Side(test.bound); got != test.want {
			t.Errorf("%v on side %d of %g, want %d", test.r, got, test.bound, test.want)
		}
	}
}

func TestFactor(t *testing.T) {
	// A published factor of 4 needs 4 to the power of 0.6, 2.2974.
	tests := []struct {
		r         Ratio
		published float64
		want      Holds
	}{
		{exact(4), 4, Yes},
		{exact(40), 4, Yes},
		{exact(2.298), 4, Yes},
		{exact(2.297), 4, InPart},
		{exact(1.16), 4, InPart},
		{exact(1.14), 4, No},
		{exact(1), 4, No},
		{exact(0.25), 4, No},
		{about(4, 1.5), 4, Yes},
		{about(2.3, 1.2), 4, Unclear},  // on both sides of what is needed
		{about(1.15, 1.2), 4, Unclear}, // on both sides of no difference
		{about(2.5, 3), 4, Unclear},
		{about(0.5, 1.5), 4, No},
		// A factor below one is the other way round.
		{exact(0.25), 0.25, Yes},
		{exact(0.5), 0.25, InPart},
		{exact(1), 0.25, No},
		{exact(4), 0.25, No},
		{Ratio{0.2, 0.25, 0.3}, 0.25, Yes},
		{Ratio{0.2, 0.44, 0.9}, 0.25, Unclear},
	}
	for _, test := range tests {
		if got := Factor(test.r, test.published); got != test.want {
			t.Errorf("%v for %g: %s, want %s", test.r, test.published, got, test.want)
		}
	}
}

func TestSame(t *testing.T) {
	for r, want := range map[Ratio]Holds{
		exact(1): Yes, exact(1.14): Yes, exact(0.88): Yes, exact(1.16): No, exact(0.86): No,
		about(1, 1.1): Yes, about(1, 1.5): Unclear, about(1.15, 1.1): Unclear, about(2, 1.5): No, about(0.5, 1.5): No,
	} {
		if got := Same(r); got != want {
			t.Errorf("%v: %s, want %s", r, got, want)
		}
	}
}

func TestNotMore(t *testing.T) {
	for r, want := range map[Ratio]Holds{
		exact(0.1): Yes, exact(1): Yes, exact(1.14): Yes, exact(1.16): No, exact(9): No,
		about(1.15, 1.2): Unclear, about(0.5, 1.5): Yes,
	} {
		if got := NotMore(r); got != want {
			t.Errorf("%v: %s, want %s", r, got, want)
		}
	}
}

func TestAll(t *testing.T) {
	tests := []struct {
		parts []Holds
		want  Holds
	}{
		{[]Holds{Yes}, Yes},
		{[]Holds{Yes, Yes}, Yes},
		{[]Holds{Yes, No}, InPart},
		{[]Holds{InPart, No}, InPart},
		{[]Holds{InPart, Yes}, InPart},
		{[]Holds{Yes, Untested}, InPart},
		{[]Holds{No, No}, No},
		{[]Holds{No, Untested}, No},
		{[]Holds{Untested, Untested}, Untested},
		{[]Holds{Yes, Unclear, No}, Unclear},
		{[]Holds{Untested, Unclear}, Unclear},
	}
	for _, test := range tests {
		if got := All(test.parts...); got != test.want {
			t.Errorf("%q: %s, want %s", test.parts, got, test.want)
		}
	}
}

func TestOver(t *testing.T) {
	got := Over(Spread{8, 10, 12, 3}, Spread{4, 5, 6, 3})
	if want := (Ratio{8. / 6, 2, 3}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	// Nothing is known about the spread of fewer than three runs, and a limit without runs is exact.
	three, limit := Spread{5, 5, 5, 3}, Spread{5, 5, 5, 0}
	for _, few := range []Spread{{10, 10, 10, 1}, {10, 10, 10, 2}} {
		for _, got := range []Ratio{Over(few, three), Over(few, few), Over(few, limit)} {
			if got.Low != 0 || !math.IsInf(got.High, 1) || Same(got) != Unclear || Factor(got, 20) != Unclear ||
				Factor(got, 0.05) != Unclear || NotMore(got) != Unclear || !strings.Contains(got.String(), "too few runs") {
				t.Errorf("%v: %v", few, got)
			}
		}
	}
	if got := Over(three, limit); got != (Ratio{1, 1, 1}) {
		t.Errorf("beside a limit: %v", got)
	}
	if s := (Ratio{1.4, 1.5, 1.6}).String() + ", " + exact(2).String(); s != "1.50 times (1.40 to 1.60), 2.00 times" {
		t.Error(s)
	}
}

func TestFigure(t *testing.T) {
	e := &Experiment{Method: Method{Runs: 5, Trim: 1}, Metric: Metric{Of: func(o Outcome) float64 { return o.Seconds }}}
	tests := []struct {
		seconds []float64
		want    Spread
	}{
		{[]float64{5, 1, 3, 2, 100}, Spread{2, 10. / 3, 5, 3}},
		{[]float64{4, 1, 2, 3}, Spread{1, 2.5, 4, 4}}, // fewer than the method asks for: all count
		{[]float64{3, 1, 2}, Spread{1, 2, 3, 3}},
		{[]float64{1, 2}, Spread{1, 1.5, 2, 2}},
		{[]float64{7}, Spread{7, 7, 7, 1}},
	}
	for _, test := range tests {
		m := Measurement{Variant: "e/a"}
		for _, s := range test.seconds {
			m.Outcomes = append(m.Outcomes, Outcome{Seconds: s})
		}
		got, ok := e.Figure(&m)
		if !ok || math.Abs(got.Value-test.want.Value) > 1e-12 || got.Low != test.want.Low || got.High != test.want.High ||
			got.Runs != test.want.Runs {
			t.Errorf("%v: %v, want %v", test.seconds, got, test.want)
		}
		m.Wrong = "7"
		if _, ok := e.Figure(&m); ok {
			t.Errorf("%v: a wrong answer has a figure", test.seconds)
		}
	}
	if _, ok := e.Figure(nil); ok {
		t.Error("no measurement has a figure")
	}
	if _, ok := e.Figure(&Measurement{Skipped: "no"}); ok {
		t.Error("a measurement without outcomes has a figure")
	}
}

func TestOf(t *testing.T) {
	warm := Setting{State: Warm}
	r := Results{Measurements: []Measurement{
		{Variant: "e/a", Setting: warm, Outcomes: []Outcome{{Seconds: 1}}},
		{Variant: "e/b", Setting: warm, Outcomes: []Outcome{{Seconds: 1}}, Wrong: "7", Want: "8"},
		{Variant: "e/c", Setting: warm, Skipped: "no cc"},
	}}
	if m := r.Of("e/a", warm); m == nil || m.Variant != "e/a" {
		t.Errorf("%+v", m)
	}
	for id, why := range map[string]string{
		"e/b": "e/b gave a wrong answer: 7 instead of 8", "e/c": "e/c was not run: no cc", "e/d": "e/d was not run",
	} {
		if m := r.Of(id, warm); m != nil {
			t.Errorf("%s: %+v", id, m)
		}
		if got := r.Absent(id, warm); got != why {
			t.Errorf("%q, want %q", got, why)
		}
	}
	if m := r.Of("e/a", Setting{State: Cold}); m != nil {
		t.Errorf("cold: %+v", m)
	}
}

func TestDeviation(t *testing.T) {
	if got := Deviation([]float64{2, 4, 4, 4, 5, 5, 7, 9}); math.Abs(got-math.Sqrt(32./7)) > 1e-12 {
		t.Error(got)
	}
	if Deviation(nil) != 0 || Deviation([]float64{3}) != 0 {
		t.Error("of fewer than two values")
	}
}
