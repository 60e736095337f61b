package run

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/folders"
	"github.com/thresh-dev/thresh/internal/kernel/differ"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/options"
	"github.com/thresh-dev/thresh/receipt"
)

// CompareFolders calls visit with the differences of two folders, in the order of their names.
func CompareFolders(ctx context.Context, a, b string, spec options.CompareFolders,
	visit func([]answer.FolderDifference) error) (answer.FolderComparison, error) {
	o := Options{Run: spec.Run}
	switch {
	case spec.Owner && runtime.GOOS == "windows":
		return answer.FolderComparison{}, badOption("Owner", spec.Owner, "folders have no owners on this system")
	case o.Engine != "" && !slices.Contains(folderEngines, o.Engine):
		return answer.FolderComparison{}, badOption("Engine", o.Engine, "engine %q does not read the files of folders",
			o.Engine)
	}
	if err := errors.Join(cpu.Err(), o.check()); err != nil {
		return answer.FolderComparison{}, err
	}
	watch := startWatch(o.Receipt).followMemory()
	f := &folderFiles{options: o, past: spec.Past}
	workers := o.Workers
	if workers == 0 {
		workers = workersEach * runtime.GOMAXPROCS(0)
		if c, err := limits.Load("."); err == nil {
			workers = max(workers, c.BestOpeners())
		}
	}
	// A half is for buffers and names.
	f.options.MemoryBytes = max(o.MemoryBytes/2, min(o.MemoryBytes, folderFileBytes))
	f.places = make(chan struct{}, max(min(f.options.MemoryBytes/folderFileBytes, int64(workers)), 1))
	job := folders.Job{Options: spec, Workers: workers, Way: f.way, Files: f.compare, Visit: visit,
		BufferBytes: int(max(min(folderBufferBytes, o.MemoryBytes/16/int64(workers)), folderBufferMin))}
	found, err := job.Run(ctx, a, b)
	total := receipt.Receipt{Bytes: found.Bytes, Skipped: f.used.Skipped, Kernel: "differ " + differ.Best().ISA.String()}
	for _, e := range f.used.Engines {
		total.Use(e)
	}
	if n := found.Bytes - f.used.Bytes; n > 0 {
		total.Use(receipt.EngineUse{Engine: plan.Pread, Workers: workers, Bytes: n})
	}
	var receiptErr error
	found.Receipt, receiptErr = watch.manyReceipt(total, o.MemoryBytes)
	return found, errors.Join(err, receiptErr)
}

// folderEngines are the engines that read files.
var folderEngines = []options.Engine{options.EngineAuto, options.EnginePread, options.EngineMmap, options.EngineUring}

const (
	// folderBufferBytes is the size of a worker's two buffers, which stay in its L2 cache.
	folderBufferBytes = 128 << 10
	folderBufferMin   = 4 << 10
	// folderFileBytes is the memory for files that one worker compares with an engine: what each needs, and some more.
	folderFileBytes = 64 << 20
)

// folderFiles compares the files of folders that a worker does not read by itself.
type folderFiles struct {
	options Options
	past    bool
	keep    keepBudget
	places  chan struct{} // for files that one worker each compares
	used    receipt.Receipt
	mu      sync.Mutex
}

// way says how two files of a size are compared.
func (f *folderFiles) way(bytes int64) folders.Way {
	cache := f.keep.policy(&f.options, 2*bytes)
	switch {
	case bytes > int64(singleFileBytesMax.Get()):
		return folders.Together
	case bytes > 0 && (f.past || cache == options.CacheNeutral || f.options.Engine != plan.Auto):
		return folders.Alone
	}
	return folders.Read
}

// compare compares two open files, and closes them.
func (f *folderFiles) compare(ctx context.Context, a, b *os.File, together bool) (answer.Comparison, error) {
	o := options.Compare{Run: f.options.Run, First: true, Past: f.past}
	o.Receipt = false // of each file
	if f.keep.full() && o.Cache == options.CacheAuto {
		o.Cache = options.CacheNeutral
	}
	if !together {
		f.places <- struct{}{}
		defer func() { <-f.places }()
		o.Workers, o.MemoryBytes = 1, o.MemoryBytes/int64(cap(f.places))
	}
	one, err := FromFile(a.Name(), a, true)
	if err != nil {
		return answer.Comparison{First: -1}, errors.Join(err, a.Close(), b.Close())
	}
	other, err := FromFile(b.Name(), b, true)
	if err != nil {
		return answer.Comparison{First: -1}, errors.Join(err, one.Close(), b.Close())
	}
	r, err := Compare(ctx, one, other, o, func([]answer.Hit) error { return nil })
	f.mu.Lock()
	defer f.mu.Unlock()
	addFile(&f.used, r.Receipt)
	return r, errors.Join(err, one.Close(), other.Close())
}
