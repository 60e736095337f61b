package limits

import (
	"strings"
	"testing"
	"time"
)

// TestBusyMachine measures with a clock of the system on which other programs work, and one on which none
// does.
func TestBusyMachine(t *testing.T) {
	for _, test := range []struct {
		name  string
		clock func() (time.Duration, bool)
		busy  bool
	}{
		{"busy", clock(time.Hour), true},
		{"idle", func() (time.Duration, bool) { return processorTime(), true }, false},
		{"unknown", func() (time.Duration, bool) { return 0, false }, false},
	} {
		c, err := measure(t.Context(), Options{Path: t.TempDir(), busyTime: test.clock}, tiny())
		if err != nil {
			t.Fatal(err)
		}
		named := strings.HasPrefix(c.Busy, "other programs used ") && strings.Contains(c.Busy, " of ")
		if named != test.busy {
			t.Errorf("%s: %q", test.name, c.Busy)
		}
	}
}

// clock returns a clock that goes on by a step whenever it is read.
func clock(step time.Duration) func() (time.Duration, bool) {
	now := time.Duration(0)
	return func() (time.Duration, bool) {
		now += step
		return now, true
	}
}

// TestOthers tells the time of other programs from that of the measurement.
func TestOthers(t *testing.T) {
	at := time.Now()
	first := usage{at: at, all: 5 * time.Second, own: time.Second, known: true}
	next := usage{at: at.Add(2 * time.Second), all: 9 * time.Second, own: 2 * time.Second, known: true}
	if got := first.others(next); got != 1.5 {
		t.Errorf("got %v", got)
	}
	if got := first.others(usage{at: next.at}); got != 0 {
		t.Errorf("unknown: %v", got)
	}
}

// TestKeep measures again on a busy and on an idle machine.
func TestKeep(t *testing.T) {
	good := func(v float64, unit string) Figure { return Figure{Median: v, Unit: unit, Samples: 9} }
	later := noon.Add(48 * time.Hour)
	for _, test := range []struct {
		name       string
		busy       bool
		was, now   float64 // GB/s
		cost, then float64 // ns
		noisy      bool
		kept       bool
	}{
		{"busy and worse", true, 30, 20, 900, 1500, false, true},
		{"busy and better", true, 20, 30, 1500, 900, false, false},
		{"idle and worse", false, 30, 20, 900, 1500, false, false},
		{"idle and noisy", false, 30, 32, 900, 800, true, true},
	} {
		was, now := sample(), sample()
		now.Taken = later
		if test.busy {
			now.Busy = "other programs used 1.0 of 4 processors"
		}
		was.MemoryOne, was.FaultSmall, was.FaultSmallBytes = good(test.was, gigabytes), good(test.cost, nanoseconds), 65536
		now.MemoryOne, now.FaultSmall, now.FaultSmallBytes = good(test.now, gigabytes), good(test.then, nanoseconds), 4096
		now.MemoryOne.Noisy, now.FaultSmall.Noisy = test.noisy, test.noisy
		now.Keep(was)
		rate, cost, bytes, taken := test.now, test.then, 4096.0, time.Time{}
		if test.kept {
			rate, cost, bytes, taken = test.was, test.cost, 65536, noon
		}
		if now.MemoryOne.Median != rate || now.FaultSmall.Median != cost || now.FaultSmallBytes != bytes || !now.MemoryOne.Taken.Equal(taken) {
			t.Errorf("%s: %+v, %+v of %v bytes", test.name, now.MemoryOne, now.FaultSmall, now.FaultSmallBytes)
		}
		// A noisy figure of before replaces nothing.
		if now.ColdRead.Taken != (time.Time{}) {
			t.Errorf("%s: a noisy figure was kept: %+v", test.name, now.ColdRead)
		}
		text := now.Text(later)
		if strings.Contains(text, "the machine was busy: other programs used 1.0 of 4 processors") != test.busy ||
			strings.Contains(text, "measured 2 days ago") != test.kept {
			t.Errorf("%s:\n%s", test.name, text)
		}
		// A third measurement keeps the age of the figure.
		third := sample()
		third.Taken, third.Busy = later.Add(time.Hour), "other programs"
		third.MemoryOne = good(1, gigabytes)
		third.Keep(now)
		if test.kept && !third.MemoryOne.Taken.Equal(noon) {
			t.Errorf("%s: kept again, and taken %v", test.name, third.MemoryOne.Taken)
		}
	}
	// Of another machine, or in another format, nothing is kept.
	for _, change := range []func(*Ceilings){
		func(c *Ceilings) { c.Identity.CPUs++ }, func(c *Ceilings) { c.Format++ },
	} {
		was, now := sample(), sample()
		change(was)
		now.Busy, now.MemoryOne.Median = "other programs", 1
		if now.Keep(was); now.MemoryOne.Median != 1 {
			t.Errorf("kept from another machine: %+v", now.MemoryOne)
		}
	}
	now := sample()
	now.Keep(nil)
}
