package wall

import (
	"slices"
	"time"
)

// Probes are small experiments after a run, each with one worker, in GB/s. 0 means not probed.
type Probes struct {
	Cached     float64 // the function on bytes in the processor's cache
	Copied     float64 // copies by read calls out of the page cache
	Mapped     float64 // the function on bytes in memory, whose pages are mapped
	FaultNanos float64 // processor time of a page fault of the input
	Storage    float64 // direct reads across the whole input
}

// Thread is what a thread has consumed.
type Thread struct {
	Busy                     time.Duration
	MinorFaults, MajorFaults int64
}

// Counters are what a run consumed. Take and Sub fill in most of them; the caller adds what only it
// knows: Workers, Scanned, Skipped, and from Piped on. A counter that the system lacks is 0 and
// listed in Missing.
type Counters struct {
	Wall    time.Duration // how long the run took
	Workers int           // number of workers that scanned; at least 1
	Scanned int64         // bytes that the kernel function saw
	Skipped int64         // bytes of holes, which were not read

	// Keeps says that the function's cost depends on what it has kept of other bytes, as with the groups of a table. A
	// probe that repeats a few bytes is faster then.
	Keeps bool

	Processors int // that the program may use; 0 if that is unknown

	User, System time.Duration // processor time of all threads
	RunQueue     time.Duration // sum over threads: ready to run but waiting for a processor
	Voluntary    int64         // context switches because a thread waited
	Involuntary  int64         // context switches because another thread's turn came

	MinorFaults int64 // page faults served from memory
	MajorFaults int64 // page faults that waited for storage
	ReadChars   int64 // bytes that read calls returned
	WriteChars  int64 // bytes that write calls took
	ReadStorage int64 // bytes that this process fetched from storage

	// Time during which some thread of the system waited: the totals of the pressure files.
	PressureCPU, PressureIO, PressureMemory time.Duration

	// Of all programs on all processors of the machine, this one included; 0 if that is unknown.
	MachineBusy time.Duration
	Stolen      time.Duration // processor time that the host of a virtual machine gave to others

	ThrottledPeriods int64         // periods in which the control group used up its quota
	Throttled        time.Duration // summed over processors
	QuotaCPUs        float64       // of the control group, 0 for none

	Piped        bool          // the input is a pipe or the like
	Cached       bool          // all of the input was in the page cache
	Decompressed bool          // the stream comes from a decompressor
	Worked       time.Duration // summed over workers, from their first to their last piece; 0 if that is not known
	InputWait    time.Duration // the reader of a stream waited for its writer
	OutputWait   time.Duration // the writer of the output waited for its reader

	Remote      bool // the bytes came over the network, by so many connections at once
	Connections int
	Latency     time.Duration // until an answer of the server began
	Refused     int64         // how often the server asked for fewer requests

	Missing []Missing // counters that could not be read
}

// counterName names a counter that a system may lack.
type counterName string

const (
	readBytes   counterName = "bytes read"
	runQueue    counterName = "run-queue wait"
	pressure    counterName = "pressure"
	quota       counterName = "processor quota"
	machineBusy counterName = "other programs"
)

// Missing is a counter that could not be read: why, which parts are less certain, and what would open it.
type Missing struct {
	counter counterName
	Why     string
}

// lacks reports whether a counter could not be read.
func (c *Counters) lacks(name counterName) bool {
	return slices.ContainsFunc(c.Missing, func(m Missing) bool { return m.counter == name })
}

// Snapshot is the state of the counters at one moment.
type Snapshot struct {
	at     time.Time
	totals Counters // since the process began; without Wall
}

// Sub returns what was consumed since an earlier snapshot.
func (s Snapshot) Sub(earlier Snapshot) Counters {
	c, e := s.totals, earlier.totals
	c.Wall = s.at.Sub(earlier.at)
	c.User -= e.User
	c.System -= e.System
	// The later total lacks the waiting of threads that ended in between.
	c.RunQueue = max(0, c.RunQueue-e.RunQueue)
	c.Voluntary -= e.Voluntary
	c.Involuntary -= e.Involuntary
	c.MinorFaults -= e.MinorFaults
	c.MajorFaults -= e.MajorFaults
	c.ReadChars -= e.ReadChars
	c.WriteChars -= e.WriteChars
	c.ReadStorage -= e.ReadStorage
	c.PressureCPU -= e.PressureCPU
	c.PressureIO -= e.PressureIO
	c.PressureMemory -= e.PressureMemory
	c.MachineBusy -= e.MachineBusy
	c.Stolen -= e.Stolen
	c.ThrottledPeriods -= e.ThrottledPeriods
	c.Throttled -= e.Throttled
	return c
}
