package donations

import "runtime/debug"

// NoGC answers exercise 6: what happens if the garbage collector is off. It is Rev9.
//
// The collector itself costs little: the heap of Rev9 is small, and is marked beside the work. Without
// it no memory is used twice. All of it, twice the size of the file, comes from the kernel page by page,
// and every page has to be zeroed and leaves the caches. So it may well be slower, and it needs much
// more memory. The counts of faults and the system time show it.
func NoGC(path string) (Answer, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	return Rev9(path)
}
