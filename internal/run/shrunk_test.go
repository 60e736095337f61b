package run

import (
	"fmt"
	"testing"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// TestShrunk asks the questions of the other tests again, with every size shrunk at which
// code takes another way: random inputs then cross all of them.
func TestShrunk(t *testing.T) {
	rounds, cases := 10, 1500
	if testing.Short() {
		rounds, cases = 2, 200
	}
	for _, n := range []int{2, 3, 7, 64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			threshold.Shrink(t, n)
			answersDependOnNothing(t, rounds)
			countsDependOnNothing(t, cases)
		})
	}
}
