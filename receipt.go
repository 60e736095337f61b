package thresh

import (
	"runtime"
	"slices"
	"time"

	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/internal/run"
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
	WallOutput         Wall = "output"          // whatever reads or stores the results
	WallQuota          Wall = "cpu-quota"       // of the control group
	WallContention     Wall = "cpu-contention"  // other programs use the processors
	WallTooSmall       Wall = "too-small"       // too short to measure
	WallUnclear        Wall = "unclear"         // the evidence does not tell
)

// Receipt tells what a run did, how fast, and what held it back. Wall, Verdict, Fraction, Evidence and
// Stages are empty unless Options.Receipt asks for them. Its JSON is what the command's --receipt=json
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
	// KernelOrigin is where a vector kernel comes from: "archsimd" in a build with GOEXPERIMENT=simd,
	// "assembly" in every other; empty for portable code.
	KernelOrigin string `json:"kernel_origin,omitempty"`
	// KernelBytesPerSecond is the inner loop's rate on bytes in the cache, with one worker; 0 if it was not measured.
	KernelBytesPerSecond float64 `json:"kernel_bytes_per_second,omitempty"`
	// Wall is the name of what held the run back, and Verdict a sentence about it.
	Wall    Wall   `json:"wall"`
	Verdict string `json:"verdict"`
	// Fraction is how close the run came to the wall, from 0 to 1; 0 if that is not known.
	Fraction float64  `json:"fraction,omitempty"`
	Evidence []string `json:"evidence,omitempty"` // the numbers that the verdict rests on
	// Stages is how the time of a table's workers was spent.
	Stages []Stage  `json:"stages,omitempty"`
	Plan   []string `json:"plan,omitempty"` // why these engines
	// CachedBytes is how many bytes of the range were in the page cache after the run, and Next says what
	// that means for the next question about it. Both are empty unless Options.Receipt asks for them, for
	// inputs that are not files, and for the total of many files; Next also for less than 1 MiB.
	CachedBytes int64  `json:"cached_bytes,omitempty"`
	Next        string `json:"next,omitempty"`

	longest float64 // seconds of the part that named the wall, of several
}

// Add adds the receipt of another part of the same work, done after this one. The wall is that of the
// part that took longest.
func (r *Receipt) Add(part Receipt) {
	if part.longest = max(part.longest, part.Seconds); part.longest >= r.longest {
		r.longest, r.Kernel, r.KernelOrigin = part.longest, part.Kernel, part.KernelOrigin
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
	for _, use := range part.Engines {
		at := slices.IndexFunc(r.Engines, func(e EngineUse) bool { return e.Engine == use.Engine })
		if at < 0 {
			r.Engines = append(r.Engines, use)
			continue
		}
		r.Engines[at].Bytes += use.Bytes
		r.Engines[at].Workers = max(r.Engines[at].Workers, use.Workers)
	}
}

// Keep adds the run to the last ones, which Limits.Roofline draws, under the name of a question such as "find". The
// runs are kept in the user's cache folder. A receipt without a wall, or of a run too short to measure, is not kept.
func (r Receipt) Keep(question string) error {
	workers := 0
	for _, e := range r.Engines {
		workers = max(workers, e.Workers)
	}
	if r.Wall == "" || r.Wall == WallTooSmall || r.KernelBytesPerSecond == 0 || workers == 0 {
		return nil
	}
	return limits.KeepRun(limits.Run{Taken: time.Now(), Question: question, Kernel: r.Kernel, Wall: string(r.Wall),
		Rate: r.BytesPerSecond / 1e9, Function: r.KernelBytesPerSecond * float64(min(workers, runtime.GOMAXPROCS(0))) / 1e9})
}

// EngineUse is what one engine read in a run.
type EngineUse struct {
	Engine  Engine `json:"engine"`
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
	internal := run.Receipt{Bytes: r.Bytes, Skipped: r.Skipped, Seconds: r.Seconds, Rate: r.BytesPerSecond,
		Kernel: r.Kernel, KernelOrigin: r.KernelOrigin, Verdict: r.Verdict, Next: r.Next}
	for _, e := range r.Engines {
		use := run.EngineUse{Engine: string(e.Engine), Workers: e.Workers, Bytes: e.Bytes}
		internal.Engines = append(internal.Engines, use)
	}
	return internal.Line()
}

func newReceipt(r run.Receipt) Receipt {
	receipt := Receipt{Bytes: r.Bytes, Skipped: r.Skipped, Seconds: r.Seconds, BytesPerSecond: r.Rate, Kernel: r.Kernel,
		KernelOrigin: r.KernelOrigin, Wall: Wall(r.Wall), Verdict: r.Verdict, Fraction: r.Fraction, Evidence: r.Evidence,
		KernelBytesPerSecond: r.KernelRate, Plan: r.Plan, CachedBytes: r.CachedBytes, Next: r.Next}
	for _, e := range r.Engines {
		receipt.Engines = append(receipt.Engines, EngineUse{Engine(e.Engine), e.Workers, e.Bytes})
	}
	for _, s := range r.Stages {
		receipt.Stages = append(receipt.Stages, Stage(s))
	}
	return receipt
}
