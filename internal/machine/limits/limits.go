// Package limits measures the best this machine can do: how fast its memory and page cache can be
// read, what a page fault, a system call or a wake-up costs, and how fast the storage that holds a
// path delivers. A receipt compares a run with these ceilings.
//
// Measuring takes a few seconds, and the result is stored in the user's cache folder, one file per
// machine and storage device. It is stale once the machine has changed, or after a week.
package limits

import (
	"context"
	"fmt"
	"time"
)

// Ceilings are the best figures of one machine and one storage device. A figure that could not be
// measured has no samples, and its reason is in Absent.
type Ceilings struct {
	Format   int       `json:"format"` // of the measurement; figures with another format are stale
	Taken    time.Time `json:"taken"`
	Identity Identity  `json:"identity"`

	MemoryOne Figure `json:"memory_one,omitzero"` // reading the process's own memory, much larger than the caches
	MemoryAll Figure `json:"memory_all,omitzero"`
	CopyOne   Figure `json:"copy_one,omitzero"` // pread of a warm file into a small buffer
	CopyAll   Figure `json:"copy_all,omitzero"`
	MappedOne Figure `json:"mapped_one,omitzero"` // scanning a fresh mapping of a warm file
	MappedAll Figure `json:"mapped_all,omitzero"`
	Populate  Figure `json:"populate,omitzero"` // MADV_POPULATE_READ of a warm file, one worker

	FaultSmall Figure `json:"fault_small,omitzero"` // a fault of a mapping without huge pages
	FaultHuge  Figure `json:"fault_huge,omitzero"`  // a fault that maps a huge page
	// FaultSmallBytes is how much one fault without huge pages maps: the kernel also maps the
	// neighbours that are in the page cache.
	FaultSmallBytes float64 `json:"fault_small_bytes,omitzero"`

	DirectRead Figure `json:"direct_read,omitzero"` // bypassing the page cache, with several reads in flight
	// The size and number of the reads in flight that gave DirectRead.
	DirectBlockBytes int `json:"direct_block_bytes,omitzero"`
	DirectDepth      int `json:"direct_depth,omitzero"`

	ColdRead Figure `json:"cold_read,omitzero"` // through the page cache, initially empty

	Syscall Figure  `json:"syscall,omitzero"`
	Hop     Figure  `json:"hop,omitzero"`    // from goroutine to goroutine over a channel
	Wake    Figure  `json:"wake,omitzero"`   // until a goroutine whose thread was asleep runs
	Atomic  Figure  `json:"atomic,omitzero"` // an addition that all workers contend for
	Mutex   Figure  `json:"mutex,omitzero"`  // a lock and unlock that all workers contend for
	Opens   []Opens `json:"opens,omitzero"`  // by number of workers, fewest first

	// Busy says how other programs used the machine meanwhile; empty if they hardly did.
	Busy string `json:"busy,omitzero"`

	// Absent holds the reason why a figure was not measured, by its name in the JSON.
	Absent map[string]string `json:"absent,omitzero"`

	// StaleReason is set by Load, together with ErrStale.
	StaleReason string `json:"-"`
}

// Opens is how many files this many workers open and close per second.
type Opens struct {
	Workers int    `json:"workers"`
	Rate    Figure `json:"rate,omitzero"`
}

// Format must be raised whenever a figure changes its meaning.
const Format = 2

// Units of figures.
const (
	gigabytes   = "GB/s"
	nanoseconds = "ns"
	filesSecond = "files/s"
)

// row is a figure with its names.
type row struct {
	key    string // in the JSON
	title  string // for humans
	unit   string
	figure *Figure
}

// rows returns all figures in the order of the table for humans.
func (c *Ceilings) rows() []row {
	rows := []row{
		{"memory_one", "memory read, one worker", gigabytes, &c.MemoryOne},
		{"memory_all", "memory read, all workers", gigabytes, &c.MemoryAll},
		{"copy_one", "page cache copied, one worker", gigabytes, &c.CopyOne},
		{"copy_all", "page cache copied, all workers", gigabytes, &c.CopyAll},
		{"mapped_one", "page cache mapped, one worker", gigabytes, &c.MappedOne},
		{"mapped_all", "page cache mapped, all workers", gigabytes, &c.MappedAll},
		{"populate", "page cache mapped by one call", gigabytes, &c.Populate},
		{"fault_small", "page fault, small pages", nanoseconds, &c.FaultSmall},
		{"fault_huge", "page fault, huge page", nanoseconds, &c.FaultHuge},
		{"direct_read", "storage, direct reads", gigabytes, &c.DirectRead},
		{"cold_read", "storage, buffered reads", gigabytes, &c.ColdRead},
		{"syscall", "system call", nanoseconds, &c.Syscall},
		{"hop", "goroutine to goroutine", nanoseconds, &c.Hop},
		{"wake", "wake-up of a sleeping thread", nanoseconds, &c.Wake},
		{"atomic", "contended atomic addition", nanoseconds, &c.Atomic},
		{"mutex", "contended mutex", nanoseconds, &c.Mutex},
	}
	for i := range c.Opens {
		n := c.Opens[i].Workers
		rows = append(rows, row{
			key:    fmt.Sprintf("opens_%d", n),
			title:  fmt.Sprintf("files opened, workers: %d", n),
			unit:   filesSecond,
			figure: &c.Opens[i].Rate,
		})
	}
	return rows
}

// BestOpeners returns the number of workers that opened most files per second, 0 if that was not
// measured. If more workers gain less than a twentieth, fewer win.
func (c *Ceilings) BestOpeners() int {
	best, rate := 0, 0.0
	for _, o := range c.Opens {
		if o.Rate.Median > 1.05*rate {
			best, rate = o.Workers, o.Rate.Median
		}
	}
	return best
}

// Options says what to measure.
type Options struct {
	// Path is a file, block device or directory on the storage to measure; empty means the current
	// directory. A file is only read. Temporary files of at most 256 MiB are created in the
	// directory, or beside the file, if that is allowed, otherwise in the system's temporary
	// folder.
	Path string
	// Progress is called with the name of each step before it begins; it may be nil.
	Progress func(step string)

	// busyTime replaces the system's count of how long all processors have worked, in tests.
	busyTime func() (time.Duration, bool)
}

// Measure measures all figures, which takes 3 to 7 seconds, longer on slow storage. It returns an
// error if the path cannot be examined, and the context's error when that ends. What this system
// cannot measure is absent from the result. Temporary files are removed when it returns. If other
// work runs at the same time, the figures that need all processors are noisy.
func Measure(ctx context.Context, o Options) (*Ceilings, error) {
	return measure(ctx, o, ordinarySizes())
}

// sizes bounds the work of a measurement.
type sizes struct {
	memoryBytes int           // of the memory read; much more than the last-level cache
	fileBytes   int           // of the temporary file
	coldBytes   int           // of one sample of cold reads
	openFiles   int           // opened for one sample
	idleTime    time.Duration // to see beforehand what other programs do
	rounds      int           // of the operations whose cost is measured in nanoseconds, per sample
	samplesMin  int           // of each figure, however long they take
	samplesMax  int           // of each figure, however short they are
	figureTime  time.Duration // for each figure, once it has samplesMin
	writeTime   time.Duration // for the temporary file, which is smaller on slow storage
}

func ordinarySizes() sizes {
	const mib = 1 << 20
	// With four times the last-level cache, at most a quarter of the reads hit it.
	memory := min(max(4*lastCacheBytes(), 256*mib), 1024*mib)
	if total := memoryBytes(); total > 0 {
		memory = min(memory, max(int(total/8), 16*mib))
	}
	return sizes{
		memoryBytes: memory,
		fileBytes:   min(256*mib, memory),
		coldBytes:   32 * mib,
		openFiles:   256,
		idleTime:    250 * time.Millisecond,
		rounds:      5000,
		samplesMin:  5,
		samplesMax:  25,
		figureTime:  180 * time.Millisecond,
		writeTime:   1200 * time.Millisecond,
	}
}
