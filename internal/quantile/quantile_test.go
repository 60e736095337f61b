package quantile

import (
	"math"
	"slices"
	"testing"
)

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   [3]float64
	}{
		{[]float64{7}, [3]float64{7, 7, 7}},
		{[]float64{1, 3}, [3]float64{1.5, 2, 2.5}},
		{[]float64{1, 2, 3, 4, 5}, [3]float64{2, 3, 4}},
		{[]float64{1, 2, 3, 10}, [3]float64{1.75, 2.5, 4.75}},
	} {
		for i, q := range []float64{0.25, 0.5, 0.75} {
			if got := Of(c.values, q); math.Abs(got-c.want[i]) > 1e-12 {
				t.Errorf("quantile %v of %v is %v, want %v", q, c.values, got, c.want[i])
			}
		}
	}
}

func TestMedian(t *testing.T) {
	for want, values := range map[float64][]float64{2: {3, 1, 2}, 2.5: {4, 1, 3, 2}, 7: {7}} {
		before := slices.Clone(values)
		if got := Median(values); got != want || !slices.Equal(values, before) {
			t.Errorf("%v: got %v of %v, want %v", before, got, values, want)
		}
	}
}
