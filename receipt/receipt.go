// Package receipt declares what a run says about itself: what it did, how fast, and the wall that held it back.
package receipt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/output/bytesize"
)

// Wall is the name of what held a run back. For a table it may also be the name of a Stage.
type Wall string

// The walls. These names do not change.
const (
	WallStorage        Wall = "storage"         // the device delivers no faster
	WallKernelCopy     Wall = "kernel-copy"     // copying out of the page cache
	WallPageFaults     Wall = "page-faults"     // mapping pages of the page cache
	WallMemory         Wall = "memory"          // reading main memory
	WallKernelFunction Wall = "kernel-function" // the function that examines the bytes
	WallSlowInput      Wall = "slow-input"      // whatever writes into the pipe
	WallDecompression  Wall = "decompression"   // of a compressed file
	WallNetwork        Wall = "network"         // the way to a remote object
	WallThrottling     Wall = "throttling"      // the server of a remote object asks for fewer requests
	WallOutput         Wall = "output"          // whatever reads or stores the results
	WallQuota          Wall = "cpu-quota"       // of the control group
	WallContention     Wall = "cpu-contention"  // other programs use the processors
	WallTooSmall       Wall = "too-small"       // too short to measure
	WallUnclear        Wall = "unclear"         // the evidence does not tell
)

// Receipt says what a run did, how fast, and what held it back. Wall, Verdict, Fraction, Evidence and
// Stages are empty unless Run.Receipt asks for them. Its JSON is what the command's --receipt=json
// prints.
type Receipt struct {
	Bytes   int64   `json:"bytes"`             // scanned
	Skipped int64   `json:"skipped,omitempty"` // in holes
	Seconds float64 `json:"seconds"`           // from the first to the last byte
	// BytesPerSecond is Bytes divided by Seconds.
	BytesPerSecond float64     `json:"bytes_per_second"`
	Engines        []EngineUse `json:"engines"`
	// Kernel is the inner loop and its variant: an instruction set, or "plain" for portable code.
	Kernel string `json:"kernel"`
	// KernelBytesPerSecond is the inner loop's rate on bytes in the cache, with one worker; 0 if it was not measured.
	KernelBytesPerSecond float64 `json:"kernel_bytes_per_second,omitempty"`
	// Wall is the name of what held the run back, and Verdict a sentence about it.
	Wall    Wall   `json:"wall"`
	Verdict string `json:"verdict"`
	// Fraction is how close the run came to the wall, from 0 to 1; 0 if that is not known.
	Fraction float64  `json:"fraction,omitempty"`
	Evidence []string `json:"evidence,omitempty"` // the numbers on which the verdict is based
	// Stages is how the time of a table's workers was spent.
	Stages []Stage  `json:"stages,omitempty"`
	Plan   []string `json:"plan,omitempty"` // why these engines
	// CachedBytes is how many bytes of the range were in the page cache after the run, and Next says what
	// that means for the next question about it. Both are empty unless Run.Receipt asks for them, for
	// inputs that are not files, and for the total of many files; Next also for less than 1 MiB.
	CachedBytes int64 `json:"cached_bytes,omitempty"`
	// Memory says that the bound on the program's own memory is lower than usual because less is available, or that
	// fewer workers than usual fit into it; "" if neither is so.
	Memory string `json:"memory,omitempty"`
	Next   string `json:"next,omitempty"`

	longest float64 // seconds of the part that named the wall, of several
}

// Add adds the receipt of another part of the same work, done after this one. The wall is that of the
// part that took longest.
func (r *Receipt) Add(part Receipt) {
	if part.longest = max(part.longest, part.Seconds); part.longest >= r.longest {
		r.longest, r.Kernel = part.longest, part.Kernel
		r.KernelBytesPerSecond = part.KernelBytesPerSecond
		r.Wall, r.Verdict, r.Fraction, r.Evidence, r.Plan = part.Wall, part.Verdict, part.Fraction, part.Evidence, part.Plan
	}
	r.Bytes += part.Bytes
	r.Skipped += part.Skipped
	r.Seconds += part.Seconds
	r.BytesPerSecond = 0
	if r.Seconds > 0 {
		r.BytesPerSecond = float64(r.Bytes) / r.Seconds
	}
	r.CachedBytes, r.Next = 0, ""
	if r.Memory == "" {
		r.Memory = part.Memory
	}
	for _, use := range part.Engines {
		r.Use(use)
	}
}

// Use adds what an engine read. Several uses of one engine are one entry.
func (r *Receipt) Use(use EngineUse) {
	at := slices.IndexFunc(r.Engines, func(e EngineUse) bool { return e.Engine == use.Engine })
	if at < 0 {
		r.Engines = append(r.Engines, use)
		return
	}
	r.Engines[at].Bytes += use.Bytes
	r.Engines[at].Workers = max(r.Engines[at].Workers, use.Workers)
}

// EngineUse is what one engine read in a run.
type EngineUse struct {
	Engine  string `json:"engine"`
	Workers int    `json:"workers"`
	Bytes   int64  `json:"bytes"`
}

// Stage is a part of the work on a table, and its share of the workers' time, from 0 to 1.
type Stage struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
}

// Line returns the receipt as one line for people.
func (r Receipt) Line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %.3f s, %.2f GB/s", bytesize.Precise(r.Bytes), r.Seconds, r.BytesPerSecond/1e9)
	if r.Skipped > 0 {
		fmt.Fprintf(&b, " (and %s of holes skipped)", bytesize.Precise(r.Skipped))
	}
	var engines []string
	for _, e := range r.Engines {
		engines = append(engines, fmt.Sprintf("%s ×%d", e.Engine, e.Workers))
	}
	if len(engines) > 0 {
		fmt.Fprintf(&b, "; %s", strings.Join(engines, " + "))
	}
	fmt.Fprintf(&b, "; kernel %s; wall: %s", r.Kernel, r.Verdict)
	if r.Memory != "" {
		fmt.Fprintf(&b, "; %s", r.Memory)
	}
	if r.Next != "" {
		fmt.Fprintf(&b, "; %s", r.Next)
	}
	return b.String()
}
