// Package receipt declares what a run says about itself: what it did, how fast, and the wall that held it back.
package receipt

import "slices"

// Wall is the name of a part of the time, and of what held a run back.
type Wall string

// The walls, in everyday words. These names do not change.
const (
	Storage       Wall = "storage"               // waiting for the device, and what fetching from it takes
	Input         Wall = "its input"             // whatever writes into the pipe is slow
	Decompression Wall = "decompression"         // of a compressed file
	Network       Wall = "the network"           // the way to a remote object
	Throttling    Wall = "throttling"            // the server of a remote object asks for fewer requests
	Output        Wall = "its output"            // whatever reads or stores the results
	Quota         Wall = "CPU quota"             // of the control group
	Host          Wall = "the host"              // of this virtual machine gave the processors to others
	OtherPrograms Wall = "other programs"        // used the processors
	Copying       Wall = "copying"               // out of the page cache or a pipe, by the system
	PageFaults    Wall = "page faults"           // mapping pages of the page cache
	Memory        Wall = "memory"                // reading main memory
	Work          Wall = "the work itself"       // examining the bytes
	Order         Wall = "order between workers" // those that were ahead waited for others
	Merging       Wall = "merging and printing"  // of a table, after reading
	Ends          Wall = "starting and ending"   // when not all workers had work
	Unknown       Wall = "not known"             // the evidence does not tell

	Mixed    Wall = "mixed"     // no part took most of the time
	TooSmall Wall = "too small" // too short to measure
)

// Receipt says what a run did, how fast, and where the time went. What Wall and the fields after it say is empty unless
// Run.Receipt asks for it. Its JSON is what the command's --receipt=json prints.
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
	// Wall is the name of the part that took at least 60 % of the time, Mixed or TooSmall. Verdict says it in a sentence,
	// and Lever what would help, and by how much at most.
	Wall    Wall   `json:"wall"`
	Verdict string `json:"verdict"`
	Lever   string `json:"lever,omitempty"`
	// Parts is where the time of the workers went, the largest part first. They add up to 1.
	Parts []Part `json:"parts,omitempty"`
	// WorkerSeconds is the time that is divided: that of the workers that could run at once.
	WorkerSeconds float64 `json:"worker_seconds,omitempty"`
	// StorageBytes is how many bytes were fetched from storage meanwhile; the others came from memory. WrittenBytes is how
	// many were written: results, and temporary files.
	StorageBytes int64 `json:"storage_bytes,omitempty"`
	WrittenBytes int64 `json:"written_bytes,omitempty"`
	TempBytes    int64 `json:"temp_bytes,omitempty"` // of a table's temporary files alone
	// MemoryShare is the share of Bytes that came from memory, from 0 to 1; nil if that was not counted.
	MemoryShare *float64 `json:"memory_share,omitempty"`
	// PeakBytes is the most of the program's own memory at once, by samples; 0 if it is not known. BoundBytes is the bound
	// on it.
	PeakBytes  int64 `json:"peak_bytes,omitempty"`
	BoundBytes int64 `json:"bound_bytes,omitempty"`

	Evidence []string `json:"evidence,omitempty"` // the numbers on which the parts are based
	Plan     []string `json:"plan,omitempty"`     // why these engines
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

// Add adds the receipt of other work of the same run, done after this one. The evidence is that of the work that took
// longest.
func (r *Receipt) Add(part Receipt) {
	if part.longest = max(part.longest, part.Seconds); part.longest >= r.longest {
		r.longest, r.Kernel = part.longest, part.Kernel
		r.KernelBytesPerSecond = part.KernelBytesPerSecond
		r.Evidence, r.Plan = part.Evidence, part.Plan
		if len(r.Parts) == 0 {
			r.Wall, r.Verdict = part.Wall, part.Verdict
		}
	}
	r.Bytes += part.Bytes
	r.Skipped += part.Skipped
	r.StorageBytes += part.StorageBytes
	r.WrittenBytes += part.WrittenBytes
	r.TempBytes += part.TempBytes
	r.PeakBytes, r.BoundBytes = max(r.PeakBytes, part.PeakBytes), max(r.BoundBytes, part.BoundBytes)
	if whole := r.Bytes == part.Bytes || r.MemoryShare != nil; whole && part.MemoryShare != nil {
		r.FromMemory()
	} else {
		r.MemoryShare = nil
	}
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
	r.Spend(part.WorkerSeconds, part.Parts...)
}

// FromMemory notes which share of the bytes came from memory: those that storage did not deliver.
func (r *Receipt) FromMemory() {
	share := 1 - min(1, float64(r.StorageBytes)/float64(max(r.Bytes, 1)))
	r.MemoryShare = &share
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
