package machine

import (
	"testing"
	"time"
)

func TestOthers(t *testing.T) {
	begin := Load{time.Unix(100, 0), 50 * time.Second, 20 * time.Second, 10 * time.Second}
	tests := []struct {
		busy, host, own time.Duration
		want, clamped   Share
	}{
		{20, 0, 20, Share{}, Share{}}, {20, 20, 0, Share{1, 1}, Share{1, 1}}, {12, 4, 2, Share{0.5, 0.2}, Share{0.5, 0.2}},
		{1, 0, 2, Share{-0.05, 0}, Share{}}, {90, 0, 0, Share{4.5, 0}, Share{1, 0}}, // by the clock's coarseness
	}
	for _, test := range tests {
		end := Load{begin.at.Add(10 * time.Second), begin.busy + test.busy*time.Second,
			begin.host + test.host*time.Second, begin.own + test.own*time.Second}
		if got := begin.Others(end, 2); got != test.want || got.Clamped() != test.clamped {
			t.Errorf("busy for %d s, %d s of it own: others %v, want %v", test.busy, test.own, got, test.want)
		}
	}
	if got := begin.Others(begin, 2); got != (Share{}) {
		t.Errorf("no time: others %v", got)
	}
}

func TestTakeLoad(t *testing.T) {
	begin, err := TakeLoad()
	if err != nil {
		t.Fatal(err)
	}
	for time.Since(begin.at) < 50*time.Millisecond {
		continue // keep a processor busy
	}
	end, err := TakeLoad()
	if err != nil {
		t.Fatal(err)
	}
	if end.own <= begin.own || end.busy < begin.busy {
		t.Errorf("load went from %+v to %+v", begin, end)
	}
}
