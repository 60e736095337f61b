package report

import (
	"testing"

	"github.com/thresh-dev/thresh/lab/versus"
)

// TestHeadlinesNameCases: a case that is renamed must not vanish from the pictures.
func TestHeadlinesNameCases(t *testing.T) {
	e := versus.Experiments()[0]
	for _, h := range headlines {
		if !has(e, e.Name+"/"+h.rowCase) {
			t.Errorf("the pictures show %q, which is no case", h.rowCase)
		}
	}
}
