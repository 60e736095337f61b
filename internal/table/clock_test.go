package table

import (
	"slices"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/receipt"
)

// TestStages: some of the chunks of each worker stand for all of them, also where one worker had few.
func TestStages(t *testing.T) {
	r := &Run{all: []*worker{{}, {}, {}}}
	for i, chunks := range []int{0, 1, 20} {
		c := &r.all[i].clock
		for range chunks {
			if c.begin(); c.on { // 1 of 1, and 2 of 20
				c.spent[stageFields] += time.Millisecond
				c.spent[stageHash] += 3 * time.Millisecond
			}
		}
	}
	all := r.Stages()
	if want := []receipt.Stage{{Name: "hashing", Share: 0.75}, {Name: "finding fields", Share: 0.25}}; !slices.Equal(all, want) {
		t.Errorf("%v, want %v", all, want)
	}
}
