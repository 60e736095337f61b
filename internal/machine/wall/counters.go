package wall

import (
	"time"
)

// Counters are what a run consumed. Take and Sub fill most of them; the caller adds what
// only it knows: Workers, Scanned, InputWait and OutputWait. A counter that the system
// does not have is 0 and named in Missing.
type Counters struct {
	Wall    time.Duration // how long the run took
	Workers int           // that scanned; at least 1
	Scanned int64         // bytes that the kernel function saw

	User, System time.Duration // processor time of all threads
	RunQueue     time.Duration // all threads, ready to run but waiting for a processor
	Voluntary    int64         // switches because a thread waited
	Involuntary  int64         // switches because another thread was due

	MinorFaults int64 // page faults served from memory
	MajorFaults int64 // page faults that waited for storage
	ReadChars   int64 // bytes that read calls returned
	ReadStorage int64 // bytes that this process fetched from storage

	// Some thread of the system waited for: total time of the pressure files.
	PressureCPU, PressureIO, PressureMemory time.Duration

	ThrottledPeriods int64         // in which the control group used up its quota
	Throttled        time.Duration // summed over processors
	QuotaCPUs        float64       // of the control group, 0 for none

	InputWait  time.Duration // the one reader of a stream waited for its writer
	OutputWait time.Duration // the one writer of the output waited for its reader
	Packed     bool          // the stream is what a decompressor gives out

	Missing []string // counters that could not be read, with reasons
}

// Snapshot is the state of the counters at one time.
type Snapshot struct {
	at     time.Time
	totals Counters // since the process began; no Wall
}

// Sub returns what was consumed since an earlier snapshot.
func (s Snapshot) Sub(earlier Snapshot) Counters {
	c, e := s.totals, earlier.totals
	c.Wall = s.at.Sub(earlier.at)
	c.User -= e.User
	c.System -= e.System
	// The waiting of threads that ended meanwhile is gone from the later total.
	c.RunQueue = max(0, c.RunQueue-e.RunQueue)
	c.Voluntary -= e.Voluntary
	c.Involuntary -= e.Involuntary
	c.MinorFaults -= e.MinorFaults
	c.MajorFaults -= e.MajorFaults
	c.ReadChars -= e.ReadChars
	c.ReadStorage -= e.ReadStorage
	c.PressureCPU -= e.PressureCPU
	c.PressureIO -= e.PressureIO
	c.PressureMemory -= e.PressureMemory
	c.ThrottledPeriods -= e.ThrottledPeriods
	c.Throttled -= e.Throttled
	return c
}
