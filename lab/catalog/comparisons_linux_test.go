package catalog

import (
	_ "embed" // the list
	"slices"
	"strings"
	"testing"
)

//go:embed comparisons.txt
var recorded string

// TestComparisons: each case and each situation that there was is still there, and is what its name says.
func TestComparisons(t *testing.T) {
	var have []string
	for _, e := range comparisons() {
		for _, v := range e.Variants {
			have = append(have, v.ID)
			if v.Compare == nil || v.Run != nil || v.What == "" || !e.Aside {
				t.Errorf("%s is no comparison", v.ID)
			}
		}
	}
	want := 0
	for line := range strings.Lines(recorded) {
		id := strings.TrimSpace(line)
		if strings.HasPrefix(id, "#") {
			continue
		}
		want++
		if !slices.Contains(have, id) {
			t.Errorf("%s is gone", id)
		}
	}
	if want != 86+50 {
		t.Errorf("%d are recorded, want 136", want)
	}
}
