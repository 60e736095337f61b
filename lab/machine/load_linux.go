// Package machine describes the machine that figures are taken on, and says how busy others keep it.
package machine

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/proc"
)

// Load is the processor time used up to a moment.
type Load struct {
	at   time.Time
	busy time.Duration // of all processors, including the time that the host took
	host time.Duration // that the host of this virtual machine took
	own  time.Duration // of this program and of its children that have ended
}

// TakeLoad returns the load up to now.
func TakeLoad() (Load, error) {
	l := Load{at: time.Now()}
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return l, err
	}
	if l.busy, l.host, err = proc.ParseBusy(stat); err != nil {
		return l, fmt.Errorf("read /proc/stat: %w", err)
	}
	l.busy += l.host
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var usage unix.Rusage
		if err := unix.Getrusage(who, &usage); err != nil {
			return l, fmt.Errorf("getrusage: %w", err)
		}
		l.own += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return l, nil
}

// Others returns the shares of the machine's processors that others have used between two loads. Kernel work
// that belongs to no process counts as use by others. The system counts hundredths of a second: over a short
// time a share may be below 0 or above 1, and only the mean of several says something.
func (l Load) Others(until Load, processors int) Share {
	all := until.at.Sub(l.at) * time.Duration(processors)
	if all <= 0 {
		return Share{}
	}
	foreign := (until.busy - l.busy) - (until.own - l.own)
	return Share{float64(foreign) / float64(all), float64(until.host-l.host) / float64(all)}
}
