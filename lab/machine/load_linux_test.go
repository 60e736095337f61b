package machine

import (
	"testing"
	"time"
)

func TestParseBusy(t *testing.T) {
	got, err := parseBusy("cpu  100 20 30 9999 8888 4 5 6 70 80\ncpu0 1 2 3\n")
	if want := 1650 * time.Millisecond; err != nil || got != want {
		t.Errorf("busy %v, error %v; want %v", got, err, want)
	}
	for _, bad := range []string{"", "intr 1 2 3 4 5 6 7 8 9", "cpu 1 2 3", "cpu 1 2 x 4 5 6 7 8 9"} {
		if _, err := parseBusy(bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

func TestOthers(t *testing.T) {
	begin := Load{time.Unix(100, 0), 50 * time.Second, 10 * time.Second}
	tests := []struct {
		busy, own time.Duration
		want      float64
	}{
		{20, 20, 0}, {20, 0, 1}, {12, 2, 0.5}, {1, 2, 0}, {90, 0, 1},
	}
	for _, test := range tests {
		end := Load{begin.at.Add(10 * time.Second), begin.busy + test.busy*time.Second, begin.own + test.own*time.Second}
		if got := begin.Others(end, 2); got != test.want {
			t.Errorf("busy for %d s, %d s of it own: others %g, want %g", test.busy, test.own, got, test.want)
		}
	}
	if got := begin.Others(begin, 2); got != 0 {
		t.Errorf("no time: others %g", got)
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
