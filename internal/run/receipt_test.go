package run

import (
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/machine/wall"
	"github.com/thresh-dev/thresh/receipt"
)

func TestMeasuringBudget(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{
		0: time.Millisecond, time.Second: 20 * time.Millisecond, time.Minute: 1200 * time.Millisecond} {
		if got := measuringBudget(took); got != want {
			t.Errorf("%s of measuring after %s, want %s", got, took, want)
		}
	}
}

// TestRefine: the stages of a table divide the work itself, copying out of a mapping is memory's, and what comes after
// reading is a part of the whole.
func TestRefine(t *testing.T) {
	stages := []receipt.Stage{{Name: "hashing", Share: 0.6}, {Name: "reading", Share: 0.25}, {Name: "keys", Share: 0.15}}
	for _, test := range []struct {
		parts     []receipt.Part
		answering time.Duration // after a second of two workers
		want      string
		sum       float64 // of the stages
	}{
		{[]receipt.Part{{Wall: receipt.Work, Share: 0.8}, {Wall: receipt.Copying, Share: 0.2}}, 0,
			"the work itself 60 % (hashing 48 %, keys 12 %), copying 20 %, memory 20 %", 0.6},
		{[]receipt.Part{{Wall: receipt.Work, Share: 0.8}, {Wall: receipt.Memory, Share: 0.2}}, time.Second,
			"mixed: its output 38 %, the work itself 30 % (hashing 24 %, keys 6 %), memory 20 %, merging and printing 12 %", 0.3},
		{[]receipt.Part{{Wall: receipt.Storage, Share: 1}}, 0, "storage 100 %", 0},
		{nil, time.Second, "as it was", 0},
	} {
		r := receipt.Receipt{Bytes: 1e9, Seconds: 1, Verdict: "as it was"}
		if test.parts != nil {
			r.Divide(2, test.parts)
		}
		var after []wall.Counters
		if test.answering > 0 { // a quarter of it with a processor
			after = []wall.Counters{{Wall: test.answering, User: test.answering / 4}}
		}
		refine(&r, stages, test.answering, after)
		sum := 0.0
		for _, p := range r.Parts {
			for _, s := range p.Stages {
				sum += s.Share
			}
		}
		if r.Verdict != test.want || sum < test.sum-1e-9 || sum > test.sum+1e-9 {
			t.Errorf("%s, stages of %v; want %s, %v", r.Verdict, sum, test.want, test.sum)
		}
		if want := 1 + test.answering.Seconds(); r.Seconds != want || test.parts != nil && r.WorkerSeconds != 2*want {
			t.Errorf("%v s, %v s of workers, want %v of two", r.Seconds, r.WorkerSeconds, want)
		}
	}
}
