package limits

import (
	"math"
	"testing"
)

func TestFigureOf(t *testing.T) {
	tests := []struct {
		name    string
		unit    string
		samples []float64
		want    Figure
	}{
		{"none", gigabytes, nil, Figure{}},
		{"one tells no spread", gigabytes, []float64{7},
			Figure{Median: 7, Unit: gigabytes, Samples: 1, Noisy: true}},
		{"unsorted", gigabytes, []float64{12, 10, 11},
			Figure{Median: 11, Spread: 1.6 / 11, Unit: gigabytes, Samples: 3}},
		{"even number", nanoseconds, []float64{1, 2, 3, 4},
			Figure{Median: 2.5, Spread: 2.4 / 2.5, Unit: nanoseconds, Samples: 4, Noisy: true}},
		{"all equal", nanoseconds, []float64{5, 5, 5, 5, 5},
			Figure{Median: 5, Unit: nanoseconds, Samples: 5}},
		{"a spread of 0.4 is noise in a rate", gigabytes, []float64{8, 10, 12},
			Figure{Median: 10, Spread: 0.32, Unit: gigabytes, Samples: 3, Noisy: true}},
		{"but not in a cost", nanoseconds, []float64{8, 10, 12},
			Figure{Median: 10, Spread: 0.32, Unit: nanoseconds, Samples: 3}},
		{"an outlier does not count", gigabytes,
			[]float64{10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 90},
			Figure{Median: 10, Unit: gigabytes, Samples: 12}},
		{"nothing measured", nanoseconds, []float64{0, 0, 0},
			Figure{Unit: nanoseconds, Samples: 3, Noisy: true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := figureOf(test.unit, test.samples)
			if math.Abs(got.Spread-test.want.Spread) > 1e-9 {
				t.Errorf("spread %v, want %v", got.Spread, test.want.Spread)
			}
			if got.Spread = test.want.Spread; got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			if usable := !got.Noisy && len(test.samples) > 0; got.Usable() != usable {
				t.Errorf("Usable() = %v, want %v", got.Usable(), usable)
			}
		})
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0.000", 0.0123: "0.012", 1.234: "1.23", 46.13: "46.1", 99.94: "99.9", 123.6: "124",
		408190.4: "408190",
	} {
		if got := Number(v); got != want {
			t.Errorf("Number(%v) = %q, want %q", v, got, want)
		}
	}
}
