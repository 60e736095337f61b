package wall

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/cgroup"
)

// Take reads the counters of this process. It reads one small file per thread and a few more. It
// fails only if the processor time itself cannot be read; other counters that this system lacks are
// listed in Counters.Missing.
func Take() (Snapshot, error) {
	var use unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &use); err != nil {
		return Snapshot{}, os.NewSyscallError("getrusage", err)
	}
	s := Snapshot{at: time.Now(), totals: Counters{
		Processors:  runtime.GOMAXPROCS(0),
		User:        time.Duration(use.Utime.Nano()),
		System:      time.Duration(use.Stime.Nano()),
		MinorFaults: use.Minflt,
		MajorFaults: use.Majflt,
		Voluntary:   use.Nvcsw,
		Involuntary: use.Nivcsw,
	}}
	for _, part := range []struct {
		name string
		add  func(*Counters) error
	}{
		{"bytes read", addIO},
		{"run-queue wait", addRunQueue},
		{"pressure", addPressure},
		{"processor quota", addQuota},
	} {
		if err := part.add(&s.totals); err != nil {
			s.totals.Missing = append(s.totals.Missing, fmt.Sprintf("%s: %v", part.name, err))
		}
	}
	return s, nil
}

// addIO reads lines like "rchar: 6976".
func addIO(c *Counters) error {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return fmt.Errorf("read /proc/self/io: %w", err)
		}
		switch key {
		case "rchar":
			c.ReadChars = n
		case "wchar":
			c.WriteChars = n
		case "read_bytes":
			c.ReadStorage = n
		}
	}
	return nil
}

// addRunQueue sums "RUN WAIT SLICES" over all threads; the file of the process itself covers only
// its first thread.
func addRunQueue(c *Counters) error {
	names, err := filepath.Glob("/proc/self/task/*/schedstat")
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return errors.New("the kernel has no schedstat")
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
			continue // the thread has just ended
		}
		if err != nil {
			return err
		}
		fields := strings.Fields(string(text))
		if len(fields) < 2 {
			return fmt.Errorf("read %s: %q has no wait", name, text)
		}
		wait, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		c.RunQueue += time.Duration(wait)
	}
	return nil
}

func addPressure(c *Counters) (err error) {
	for name, into := range map[string]*time.Duration{
		"cpu": &c.PressureCPU, "io": &c.PressureIO, "memory": &c.PressureMemory,
	} {
		text, readErr := os.ReadFile("/proc/pressure/" + name)
		if readErr == nil {
			*into, readErr = parsePressure(string(text))
		}
		err = errors.Join(err, readErr)
	}
	return err
}

// parsePressure returns the microseconds of the line
// "some avg10=0.00 avg60=0.01 avg300=0.39 total=28417498".
func parsePressure(text string) (time.Duration, error) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "some ") {
			continue
		}
		if _, total, ok := strings.Cut(strings.TrimSpace(line), " total="); ok {
			n, err := strconv.ParseInt(total, 10, 64)
			return time.Duration(n) * time.Microsecond, err
		}
	}
	return 0, fmt.Errorf("no total in %q", text)
}

func addQuota(c *Counters) error {
	group, err := cgroup.Find()
	if errors.Is(err, cgroup.ErrNone) {
		return nil // then nothing is throttled
	}
	if err != nil {
		return err
	}
	if c.QuotaCPUs, err = group.QuotaCPUs(); err != nil {
		return err
	}
	throttle, err := group.Throttled()
	c.ThrottledPeriods, c.Throttled = throttle.Periods, throttle.Time
	return err
}
