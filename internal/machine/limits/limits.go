// Package limits measures what this machine can do at best: how fast its memory and page
// cache are read, what a page fault, a system call or a wake-up costs, and how fast the
// storage below a path delivers. A receipt compares a run with these ceilings.
//
// The measurement takes a few seconds and its result is kept in the user's cache folder,
// one file for each machine and storage device. It is stale when the machine changed or
// after a week.
package limits

import (
	"context"
	"fmt"
	"time"
)

// Ceilings are the best figures of one machine and one storage device. A figure that could
// not be measured has no samples, and a reason in Absent.
type Ceilings struct {
	Format   int       `json:"format"` // of the measurement; another one makes it stale
	Taken    time.Time `json:"taken"`
	Identity Identity  `json:"identity"`

	MemoryOne Figure `json:"memory_one,omitzero"` // reading own memory much larger than the caches
	MemoryAll Figure `json:"memory_all,omitzero"`
	CopyOne   Figure `json:"copy_one,omitzero"` // pread of a warm file into a small buffer
	CopyAll   Figure `json:"copy_all,omitzero"`
	MappedOne Figure `json:"mapped_one,omitzero"` // scanning a fresh mapping of a warm file
	MappedAll Figure `json:"mapped_all,omitzero"`
	Populate  Figure `json:"populate,omitzero"` // MADV_POPULATE_READ of a warm file, one worker

	FaultSmall Figure `json:"fault_small,omitzero"` // a fault of a mapping without huge pages
	FaultHuge  Figure `json:"fault_huge,omitzero"`  // a fault that maps a huge page
	// FaultSmallBytes is how much one fault without huge pages maps: the kernel maps the
	// neighbours that are in the page cache along.
	FaultSmallBytes float64 `json:"fault_small_bytes,omitzero"`

	DirectRead Figure `json:"direct_read,omitzero"` // past the page cache, several reads in flight
	// The size and number of the reads in flight that DirectRead was reached with.
	DirectBlockBytes int `json:"direct_block_bytes,omitzero"`
	DirectDepth      int `json:"direct_depth,omitzero"`

	ColdRead Figure `json:"cold_read,omitzero"` // through the empty page cache

	Syscall Figure  `json:"syscall,omitzero"`
	Hop     Figure  `json:"hop,omitzero"`    // from goroutine to goroutine over a channel
	Wake    Figure  `json:"wake,omitzero"`   // until a goroutine runs whose thread was asleep
	Atomic  Figure  `json:"atomic,omitzero"` // an addition that all workers contend for
	Mutex   Figure  `json:"mutex,omitzero"`  // a lock and unlock that all workers contend for
	Opens   []Opens `json:"opens,omitzero"`  // by number of workers, fewest first

	// Absent tells why a figure was not measured, by its name in the JSON.
	Absent map[string]string `json:"absent,omitzero"`

	// StaleReason is set by Load, together with ErrStale.
	StaleReason string `json:"-"`
}

// Opens is how many files a number of workers opens and closes in a second.
type Opens struct {
	Workers int    `json:"workers"`
	Rate    Figure `json:"rate,omitzero"`
}

// Format is to be raised when a figure changes its meaning.
const Format = 2

// units of figures.
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

// BestOpeners returns the number of workers that opened most files a second, 0 when that
// was not measured. Fewer workers win where more gain less than a twentieth.
func (c *Ceilings) BestOpeners() int {
	best, rate := 0, 0.0
	for _, o := range c.Opens {
		if o.Rate.Median > 1.05*rate {
			best, rate = o.Workers, o.Rate.Median
		}
	}
	return best
}

// Options is what to measure.
type Options struct {
	// Path is a file, block device or directory on the storage to measure; empty is the
	// current directory. A file is only read. In a directory, or beside a file, temporary
	// files of at most 256 MiB are made where that is allowed, else in the temporary
	// folder of the system.
	Path string
	// Progress is told each step before it begins; it may be nil.
	Progress func(step string)
}

// MeasureTime is how long Measure takes, except on slow storage.
const MeasureTime = 7 * time.Second

// Measure measures all figures, which takes 3 to 7 seconds, and longer on slow storage. It
// returns an error when the path cannot be looked at, and the context's error when that
// ends; what this system cannot measure is absent from the result instead. Temporary files
// are gone when it returns. Beside other work the figures that need all processors come out
// noisy.
func Measure(ctx context.Context, o Options) (*Ceilings, error) {
	return measure(ctx, o, ordinarySizes())
}

// sizes bounds the work of a measurement.
type sizes struct {
	memoryBytes int           // own memory read; much more than the last-level cache
	fileBytes   int           // of the temporary file
	coldBytes   int           // of one sample of cold reads
	openFiles   int           // opened for one sample
	rounds      int           // of the costs counted in nanoseconds, for one sample
	samplesMin  int           // of each figure, however long they take
	samplesMax  int           // of each figure, however short they are
	figureTime  time.Duration // for each figure, once it has samplesMin
	writeTime   time.Duration // for the temporary file, which is smaller on slow storage
}

func ordinarySizes() sizes {
	const mib = 1 << 20
	// Four times the last-level cache leaves a quarter of the reads at most to it.
	memory := min(max(4*lastCacheBytes(), 256*mib), 1024*mib)
	if total := memoryBytes(); total > 0 {
		memory = min(memory, max(int(total/8), 16*mib))
	}
	return sizes{
		memoryBytes: memory,
		fileBytes:   min(256*mib, memory),
		coldBytes:   32 * mib,
		openFiles:   256,
		rounds:      5000,
		samplesMin:  5,
		samplesMax:  25,
		figureTime:  180 * time.Millisecond,
		writeTime:   1200 * time.Millisecond,
	}
}
