package run

import (
	"fmt"
	"runtime"

	"github.com/thresh-dev/thresh/internal/machine/memory"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
)

const (
	// memoryDefault is the bound on the program's own memory if none is asked for and there is enough. Many workers get
	// memoryWorker each, as far as that is a quarter of what is available.
	memoryDefault = 256 << 20
	memoryWorker  = 24 << 20
	// memoryLeast is the least default of a scan: its buffers and results. It uses less than that in most runs.
	memoryLeast = 64 << 20
)

// defaultMemory returns the bound if none is asked for and there is enough.
func (o *Options) defaultMemory() int64 {
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return max(memoryDefault, memoryWorker*int64(workers))
}

// settleMemory lowers the default bound to half of the memory that the machine or the control group has
// left, so that the run is not killed; not below least. It is called where the run is about to need memory, because
// asking the system takes as long as scanning a MiB.
func (o *Options) settleMemory(least int64) error { return o.lowerMemory(least, memory.AvailableBytes) }

func (o *Options) lowerMemory(least int64, availableBytes func() (int64, error)) error {
	if !o.memoryByDefault {
		return nil
	}
	o.memoryByDefault = false
	available, err := availableBytes()
	if err != nil {
		return fmt.Errorf("how much memory is available: %w; set the bound, Run.MemoryBytes", err)
	}
	if available > 0 {
		o.MemoryBytes = max(memoryDefault, min(o.MemoryBytes, available/4))
	}
	if half := max(available/2, least); available > 0 && half < o.MemoryBytes {
		o.MemoryBytes = half
		o.memoryWhy = fmt.Sprintf("own memory at most %s: only %s are available", bytesize.Precise(half),
			bytesize.Precise(available))
	}
	return nil
}
