package versus

import (
	"math"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
)

// TestSerialShare: a program of which a tenth is serial is found out from its speedup on any number of processors.
func TestSerialShare(t *testing.T) {
	for _, processors := range []int{2, 16, 64, 128} {
		for _, want := range []float64{0, 0.01, 0.1, 0.5, 1} {
			if got := serialShare(amdahl(want, processors), processors); math.Abs(got-want) > 1e-9 {
				t.Errorf("%d processors: a share of %g was taken for %g", processors, want, got)
			}
		}
	}
	if got := serialShare(2.2, 2); got != 0 {
		t.Errorf("more than twice as fast on two processors: a serial share of %g", got)
	}
	note := serialNote(amdahl(0.1, 2), 2, []lab.Part{{Name: "memory", Share: 0.4}, {Name: "the work itself", Share: 0.6}})
	if note != "serial: 10.0 % of one worker's time, so at most 6.4 times its rate on 16 processors, 8.8 on 64; memory 40.0 %" {
		t.Errorf("the note is %q", note)
	}
	if note := serialNote(1, 1, nil); !strings.Contains(note, "nothing") {
		t.Errorf("of one processor: %q", note)
	}
}
