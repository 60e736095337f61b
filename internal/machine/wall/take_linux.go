package wall

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/cgroup"
	"github.com/thresh-dev/thresh/internal/machine/proc"
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
	s.totals.read(counters)
	return s, nil
}

// counter is a counter that a system may lack, or deny.
type counter struct {
	name  counterName
	add   func(*Counters) error
	parts string // which are less certain without it
	opens string // the setting that gives it
}

// counters are those that Take reads besides the processor time.
var counters = []counter{
	{readBytes, addIO, "storage, memory and copying",
		"let the user of the process read its program file, and mount the /proc of Linux"},
	{runQueue, addRunQueue, "other programs", "mount the /proc of Linux; its kernel needs CONFIG_SCHED_INFO"},
	{pressure, addPressure, "storage on file systems of a network", "start the kernel with psi=1"},
	{quota, addQuota, "CPU quota", "mount the control groups at /sys/fs/cgroup"},
	{machineBusy, addMachine, "other programs and the host", "give the container the /proc/stat of its machine"},
}

// read adds the counters, and notes which are missing.
func (c *Counters) read(list []counter) {
	for _, k := range list {
		if err := k.add(c); err != nil {
			c.Missing = append(c.Missing, Missing{k.name, fmt.Sprintf("%s (%v): %s less certain; to have it, %s",
				k.name, err, k.parts, k.opens)})
		}
	}
}

// TakeThread reads the counters of the calling thread.
func TakeThread() Thread {
	var use unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_THREAD, &use) // every kernel has it since 2.6.26
	return Thread{proc.ThreadTime(), use.Minflt, use.Majflt}
}

func addIO(c *Counters) error {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return err
	}
	io, err := proc.ParseIO(text)
	if err != nil {
		return fmt.Errorf("read /proc/self/io: %w", err)
	}
	c.ReadChars, c.WriteChars, c.ReadStorage = io.ReadChars, io.WriteChars, io.ReadStorage
	return nil
}

// addRunQueue sums over all threads; the file of the process itself covers only
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
		sched, err := proc.ParseSched(text)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		c.RunQueue += sched.Wait
	}
	return nil
}

func addPressure(c *Counters) (err error) {
	for name, into := range map[string]*time.Duration{
		"cpu": &c.PressureCPU, "io": &c.PressureIO, "memory": &c.PressureMemory,
	} {
		text, readErr := os.ReadFile("/proc/pressure/" + name)
		if readErr == nil {
			*into, readErr = proc.ParsePressure(text)
		}
		err = errors.Join(err, readErr)
	}
	return err
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

// addMachine reads how busy all processors are. A container whose /proc/stat is that of a file system of its
// own does not see what others do.
func addMachine(c *Counters) error {
	const name = "/proc/stat"
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var fs unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &fs); err != nil {
		return os.NewSyscallError("fstatfs "+name, err)
	}
	if fs.Type != unix.PROC_SUPER_MAGIC {
		return fmt.Errorf("%s is of this container alone", name)
	}
	var first [512]byte // its first line is the sum over processors
	n, err := f.Read(first[:])
	if err != nil {
		return err
	}
	if c.MachineBusy, c.Stolen, err = proc.ParseBusy(first[:n]); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}
