package wall

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/cgroup"
	"github.com/thresh-dev/thresh/internal/machine/proc"
)

// A sample is taken at most every intervalDefault, in the beginning more often and in a long run less
// often: then there are enough of them. Samples are put off when they have taken more than costCredit
// and costShare of a processor.
const (
	intervalDefault = 10 * time.Millisecond
	intervalFirst   = 2 * time.Millisecond
	intervalGrowth  = 1.15
	intervalLong    = 25 * time.Millisecond // half of a slot
	intervalRun     = 1.0 / 250             // of the run: intervalLong is reached after six seconds
	costShare       = 0.005
	costCredit      = time.Millisecond
	// A gap much longer than what was waited for: this process was stopped, or the machine asleep.
	gapMin = time.Second
)

// sampler takes samples of a tree and keeps the evidence.
type sampler struct {
	tree    *tree
	options Options
	machine Machine
	name    string // of the program
	missing []string

	began, last, counted time.Time
	before               moment // of the last sample
	queued               time.Duration
	forks                int
	evidence             Evidence // since counted
	slots                slots
	connections          connections

	sums      sums // highest so far
	lower     int  // how many sums in a row were lower
	group     cgroup.Group
	throttled time.Duration
	busy      time.Duration // of all processors
	huge      int64
	pressed   time.Duration

	cpuFile, vmFile, pressureFile proc.File
	buf                           []byte
	used                          time.Duration // processor time of sampling
	ended                         int           // descriptor of an event: sampling is to end
}

// newSampler takes the first sample.
func newSampler(root int, o Options) (*sampler, error) {
	ended, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("eventfd", err)
	}
	tree, err := newTree(root, o.Orphans)
	if err != nil {
		_ = unix.Close(ended) // nothing waits for it
		return nil, fmt.Errorf("watch process %d: %w", root, err)
	}
	s := &sampler{tree: tree, options: o, buf: make([]byte, 64<<10), ended: ended}
	s.name = tree.byPID[root].name
	s.examine(root)
	s.began = time.Now()
	s.last, s.counted = s.began, s.began
	s.sums = tree.total()
	s.count(true)
	s.tree.age = -1
	s.see()
	return s, nil
}

// examine gathers facts about the machine, and which evidence it has.
func (s *sampler) examine(root int) {
	s.machine = Machine{System: runtime.GOOS, CPUs: runtime.NumCPU()}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		s.machine.System = "Linux " + unix.ByteSliceToString(u.Release[:])
	}
	var set unix.CPUSet
	if unix.SchedGetaffinity(root, &set) == nil && set.Count() > 0 {
		s.machine.CPUs = set.Count()
	}
	s.missing = append(s.missing,
		"performance counters are not read: a core that waits for memory looks like one that computes")
	group, err := cgroup.Of(root)
	if err == nil {
		s.group = group
		s.machine.QuotaCPUs, err = group.QuotaCPUs()
	}
	if err != nil && !errors.Is(err, cgroup.ErrNone) {
		s.missing = append(s.missing, fmt.Sprintf("processor quota: %v", err))
	}
	s.cpuFile, _ = proc.Open("/proc/stat")
	if _, err := s.cpuFile.Read(s.buf); err != nil {
		s.missing = append(s.missing, fmt.Sprintf("what other programs do: read /proc/stat: %v", err))
	}
	s.pressureFile, _ = proc.Open("/proc/pressure/memory")
	if _, err := pressure(s.pressureFile, s.buf); err != nil {
		s.missing = append(s.missing, fmt.Sprintf("memory pressure: read /proc/pressure/memory: %v", err))
		s.pressureFile.Close()
	}
	huge := s.tree.readOnce("/sys/kernel/mm/transparent_hugepage/enabled")
	if huge != "" && !strings.Contains(huge, "[never]") {
		s.vmFile, _ = proc.Open("/proc/vmstat") // without it huge pages are not seen
	}
	if p := s.tree.byPID[root]; p != nil {
		if _, err := p.io.Read(s.buf); err != nil {
			s.missing = append(s.missing,
				fmt.Sprintf("what it reads, writes and waits for: read /proc/%d/io: %v", root, err))
		}
		if len(p.threads) > 0 && p.threads[0].sched == (proc.File{}) {
			s.missing = append(s.missing, "waiting for a processor: the kernel has no schedstat")
		}
	}
}

func (s *sampler) close() {
	s.tree.close()
	s.connections.close()
	s.cpuFile.Close()
	s.vmFile.Close()
	s.pressureFile.Close()
	_ = unix.Close(s.ended) // nothing waits for it any more
}

// end ends loop, from any goroutine. It must not be called after close.
func (s *sampler) end() {
	_, _ = unix.Write(s.ended, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // it cannot be full
}

// loop samples until end is called or one of the descriptors can be read, and then counts once more.
//
// It waits in a call of the system. A timer and a channel of Go would wake other threads for each sample,
// which costs the command more than the sample itself.
func (s *sampler) loop(descriptors ...int) {
	runtime.LockOSThread() // so that its processor time can be told
	defer runtime.UnlockOSThread()
	began := proc.ThreadTime()
	poll := make([]unix.PollFd, 0, 1+len(descriptors))
	for _, fd := range append(descriptors, s.ended) {
		poll = append(poll, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
	}
	usual := intervalFirst
	for interval := usual; !readable(poll, interval*7/8+rand.N(interval/4)); { // not in step with the command
		s.sample(interval)
		usual = s.usual(usual)
		cost := proc.ThreadTime() - began - costCredit
		interval = max(usual, time.Duration(float64(cost)/costShare)-time.Since(s.began))
	}
	s.finish()
	s.used += proc.ThreadTime() - began
}

// readable waits until a descriptor can be read, and reports false if none can be after that time.
func readable(poll []unix.PollFd, most time.Duration) bool {
	for end := time.Now().Add(most); ; {
		wait := unix.NsecToTimespec(max(0, time.Until(end)).Nanoseconds())
		n, err := unix.Ppoll(poll, &wait, nil)
		if err != unix.EINTR {
			return n > 0 || err != nil
		}
	}
}

// usual returns how long to wait for the next sample, if they cost little, after the interval before.
func (s *sampler) usual(before time.Duration) time.Duration {
	least := s.options.Interval
	if least <= 0 {
		least = intervalDefault
	}
	long := time.Duration(intervalRun * float64(time.Since(s.began)))
	least = max(least, min(long, intervalLong))
	return min(time.Duration(float64(before)*intervalGrowth), least)
}

// sample looks at the tree, and from time to time at the counters.
func (s *sampler) sample(interval time.Duration) {
	now := time.Now()
	passed := now.Sub(s.last)
	if passed > gapMin && passed > 8*interval {
		s.before = moment{end: stopped} // the terminal stopped both, or the machine was asleep
	}
	s.see()
	s.credit(passed)
	s.last = now
	if now.Sub(s.counted) >= s.slots.step() {
		s.count(false)
		s.cut(now)
	}
}

// see takes a sample.
func (s *sampler) see() {
	s.forks += s.tree.discover()
	except := 0
	if s.tree.root == s.tree.self {
		except = unix.Gettid()
	}
	s.queued += s.tree.look(except)
	s.before = blame(s.tree.members(), s.tree.root)
	threads := 0
	for _, p := range s.tree.list {
		threads += p.threadsN
	}
	s.evidence.ProcessesMax = max(s.evidence.ProcessesMax, len(s.tree.list))
	s.evidence.ThreadsMax = max(s.evidence.ThreadsMax, threads)
	s.evidence.Samples++
}

// credit gives the time since the last sample to what this one saw.
func (s *sampler) credit(passed time.Duration) {
	e, m, seconds := &s.evidence, s.before, passed.Seconds()
	e.Seconds += seconds
	switch m.end {
	case running, between:
		e.Running += seconds
		if m.end == running {
			e.Ready += seconds
		}
		if m.fresh || m.end == between {
			e.NewProcess += seconds
		}
		if m.turns {
			e.Turns += seconds
		}
		if m.ready >= s.machine.CPUs {
			e.AllBusy += seconds
		}
	case onStorage:
		e.OnStorage += seconds
	case onMemory:
		e.OnMemory += seconds
	case onLock:
		e.OnLock += seconds
	case onNetwork:
		e.OnNetwork += seconds
	case onInput:
		e.OnInput += seconds
	case onOutput:
		e.OnOutput += seconds
	case stopped:
		e.Stopped += seconds
	case asleep:
		e.Asleep += seconds
	default:
		e.OnUnknown += seconds
	}
	if m.name != "" && m.name != unnamed {
		note(&e.Functions, m.name, seconds)
	}
	if m.inode != 0 {
		if connection := s.connections.waitedFor(m.inode, m.writes, s.tree.now); connection != "" {
			note(&e.Connections, connection, seconds)
		}
	}
}

// note adds seconds to those of a name.
func note(to *map[string]float64, name string, seconds float64) {
	if *to == nil {
		*to = map[string]float64{}
	}
	(*to)[name] += seconds
}

// count reads the counters, and adds what they have grown by to the evidence.
func (s *sampler) count(first bool) {
	e := &s.evidence
	now := s.tree.total()
	grown := s.grown(now)
	e.User += grown.user.Seconds()
	e.System += grown.system.Seconds()
	e.MinorFaults += grown.minor
	e.MajorFaults += grown.major
	e.ReadChars += grown.io.ReadChars
	e.WriteChars += grown.io.WriteChars
	e.ReadCalls += grown.io.ReadCalls
	e.WriteCalls += grown.io.WriteCalls
	e.ReadStorage += grown.io.ReadStorage
	e.WriteStorage += grown.io.WriteStore
	e.Queue += s.queued.Seconds()
	e.Forks += int64(s.forks)
	s.queued, s.forks = 0, 0
	if text, err := s.cpuFile.Read(s.buf[:512]); err == nil {
		if busy, steal, err := proc.ParseBusy(text); err == nil {
			if others := (busy + steal - s.busy).Seconds() - grown.user.Seconds() - grown.system.Seconds(); !first {
				e.OtherCPU += others // may be negative for a moment: the ticks of two counters
			}
			s.busy = busy + steal
		}
	}
	s.countHuge(grown)
	if p, err := pressure(s.pressureFile, s.buf); err == nil {
		if !first {
			e.PressureMemory += (p - s.pressed).Seconds()
		}
		s.pressed = p
	}
	if s.machine.QuotaCPUs > 0 {
		if t, err := s.group.Throttled(); err == nil {
			if !first {
				e.Throttled += (t.Time - s.throttled).Seconds()
			}
			s.throttled = t.Time
		}
	}
}

// countHuge counts huge pages where they can matter: the file is long to make. Where they could not, until
// now, only the count from which they grow is taken.
func (s *sampler) countHuge(grown sums) {
	if grown.system < time.Duration(hugeSystem*float64(grown.user+grown.system)) || grown.system == 0 {
		s.huge = 0
		return
	}
	n := hugePages(s.vmFile, s.buf)
	if s.huge > 0 && n > s.huge {
		s.evidence.HugeFaults += n - s.huge
	}
	s.huge = n
}

// hugeSystem is the share of processor time in the kernel below which page faults are no wall.
const hugeSystem = faultsSystem / 2

// lowerMax is how many lower sums in a row are no moment any more.
const lowerMax = 4

// grown returns by how much the sums have grown. They are lower for a moment when a process has ended
// after its parent was read: its parent has its sums the next time. If they stay lower, a process has
// ended whose parent did not ask for it.
func (s *sampler) grown(now sums) (d sums) {
	if now.user+now.system < s.sums.user+s.sums.system || now.minor < s.sums.minor {
		if s.lower++; s.lower == lowerMax {
			s.sums, s.lower = now, 0
		}
		return sums{}
	}
	b := s.sums
	s.sums, s.lower = now, 0
	return sums{
		user: max(0, now.user-b.user), system: max(0, now.system-b.system),
		minor: now.minor - b.minor, major: max(0, now.major-b.major),
		io: now.io.Since(b.io),
	}
}

// cut ends a slot.
func (s *sampler) cut(now time.Time) {
	s.slots.add(s.evidence)
	s.evidence = Evidence{}
	s.counted = now
}

// finish counts the rest. What the command did since the last sample is what it did then.
func (s *sampler) finish() {
	now := time.Now()
	s.credit(now.Sub(s.last))
	s.last = now
	s.forks += s.tree.discover() // since the last sample, which may be long ago
	s.count(false)
	s.cut(now)
}

// report makes the report of what was seen until now.
func (s *sampler) report() Report {
	if s.tree.partly {
		s.missing = append(s.missing, fmt.Sprintf(
			"at once, at most %d processes and %[1]d more threads are watched one by one", s.tree.limit))
	}
	r := Report{Began: s.began, Elapsed: s.last.Sub(s.began), Machine: s.machine, Missing: s.missing, Sampler: s.used}
	if slices.ContainsFunc(s.slots.list, func(e Evidence) bool { return e.mayBeFaults() }) {
		r.Machine.FaultSeconds = min(faultSeconds(), faultCostMax)
	}
	r.conclude(s.slots.list)
	r.User = time.Duration(r.Evidence.User * float64(time.Second))
	r.System = time.Duration(r.Evidence.System * float64(time.Second))
	return r
}
