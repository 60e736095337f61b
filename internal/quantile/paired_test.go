package quantile

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestSpreadAndRatios(t *testing.T) {
	if got := SpreadOf([]float64{4, 1, 3}); got != (Spread{3, 1, 4}) {
		t.Errorf("%+v", got)
	}
	if got := Ratios([]float64{4, 9}, []float64{2, 3}); !slices.Equal(got, []float64{2, 3}) {
		t.Errorf("%v", got)
	}
}

// TestTurns: each round begins with another side, the first is not counted, and an error ends it.
func TestTurns(t *testing.T) {
	var order strings.Builder
	values, err := Turns(3, 2, func(side int) (float64, error) {
		order.WriteByte("ABC"[side])
		return float64(order.Len()), nil
	})
	if err != nil || order.String() != "ABCBCACAB" {
		t.Errorf("order %s, error %v", order.String(), err)
	}
	for i, want := range [][]float64{{6, 8}, {4, 9}, {5, 7}} {
		if !slices.Equal(values[i], want) {
			t.Errorf("side %d: %v, want %v", i, values[i], want)
		}
	}
	calls, failed := 0, errors.New("failed")
	if _, err := Turns(2, 9, func(int) (float64, error) { calls++; return 0, failed }); err != failed || calls != 1 {
		t.Errorf("error %v after %d calls", err, calls)
	}
}
