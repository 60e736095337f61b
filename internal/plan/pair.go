package plan

import "github.com/thresh-dev/thresh/internal/threshold"

// Pair is what matters about two inputs that are read in lockstep.
type Pair struct {
	Past     bool // all bytes are read past the page cache, where that is possible
	Rotating bool // one of them is on a disk that seeks
	OneDisk  bool // both are on the same disk
}

// A worker reads a block of the first input and then the same of the second one, so there are as many workers as keep
// two disks busy. A rotating disk is fastest when it is read in order: nearly so by few workers, and if it holds both
// inputs, by one that seeks seldom.
const (
	directWorkers         = 16
	directWorkersRotating = 4
	seldomBytes           = 8 * mib
)

var directBlockBytes = threshold.NewMultiple("plan: direct read of two inputs", 1*mib, 4*kib, 4*kib)

// workersOf returns how many workers a lane of an engine has.
func (f Facts) workersOf(name string) int {
	switch {
	case name != Direct || f.Want.Workers > 0:
		return workers(f)
	case f.Pair.Rotating && f.Pair.OneDisk:
		return 1
	case f.Pair.Rotating:
		return directWorkersRotating
	}
	return directWorkers
}

// directBlock returns the size of one direct read.
func (f Facts) directBlock() int {
	if f.Pair.Rotating && f.Pair.OneDisk {
		return seldomBytes
	}
	return directBlockBytes.Get()
}
