package donations

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/dustin/go-humanize"

	"github.com/thresh-dev/thresh/internal/machine/memory"
)

// NoGC answers exercise 6: what happens if the garbage collector is off. It is Rev9.
//
// Without collections no memory is used twice: all of it, twice the size of the file, comes from the kernel
// page by page. The figures of allocation, faults and processor time show what that costs.
//
// A file that is too large would fill the memory of the machine. So the runtime has a limit, half of what is
// available: there it would collect after all. That is another experiment, and so an error.
func NoGC(path string) (Answer, error) {
	available, err := memory.AvailableBytes()
	if err != nil {
		return Answer{}, err
	}
	return withoutCollections(path, available/2)
}

var errCollected = errors.New("too little memory to go without the garbage collector; try a smaller --size")

// withoutCollections is Rev9 with so much memory, 0 if it is not known what there is.
func withoutCollections(path string, limit int64) (Answer, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if limit > 0 {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	}
	before := collections()
	a, err := Rev9(path)
	if n := collections() - before; err == nil && n > 0 {
		return Answer{}, fmt.Errorf("%w: %d collections with a limit of %s", errCollected, n, humanize.IBytes(uint64(limit)))
	}
	return a, err
}

func collections() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}
