// Package machine describes the machine that figures are taken on, and says how busy others keep it.
package machine

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Load is the processor time used up to a moment.
type Load struct {
	at   time.Time
	busy time.Duration // of all processors, including the time that the host took
	own  time.Duration // of this program and of its children that have ended
}

// TakeLoad returns the load up to now.
func TakeLoad() (Load, error) {
	l := Load{at: time.Now()}
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return l, err
	}
	if l.busy, err = parseBusy(string(stat)); err != nil {
		return l, err
	}
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var usage unix.Rusage
		if err := unix.Getrusage(who, &usage); err != nil {
			return l, fmt.Errorf("getrusage: %w", err)
		}
		l.own += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return l, nil
}

// Others returns the share of the machine's processors that others have used between two loads, from
// 0 to 1. Kernel work that belongs to no process counts as use by others.
func (l Load) Others(until Load, processors int) float64 {
	all := until.at.Sub(l.at) * time.Duration(processors)
	if all <= 0 {
		return 0
	}
	foreign := (until.busy - l.busy) - (until.own - l.own)
	return min(1, max(0, float64(foreign)/float64(all)))
}

// parseBusy returns the time that processors have not been idle, from /proc/stat. Its first line counts
// ticks: user, nice, system, idle, iowait, irq, softirq, steal, and two more that user and nice
// already include.
func parseBusy(stat string) (time.Duration, error) {
	const tick = time.Second / 100 // USER_HZ is the same on all systems
	first, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(first)
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0, fmt.Errorf("/proc/stat begins with %q", first)
	}
	var busy time.Duration
	for i, field := range fields[1:9] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/stat begins with %q: %w", first, err)
		}
		if idle := i == 3 || i == 4; !idle {
			busy += time.Duration(n) * tick
		}
	}
	return busy, nil
}
