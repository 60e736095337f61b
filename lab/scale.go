package lab

import "slices"

// Scale returns the numbers of workers for the scaling curve of a machine with so many processors: the
// powers of two up to four times the processors, the processors, and four times the processors. It
// ascends.
func Scale(processors int) (workers []int) {
	most := 4 * max(processors, 1)
	for n := 1; n < most; n *= 2 {
		workers = append(workers, n)
	}
	workers = append(workers, max(processors, 1), most)
	slices.Sort(workers)
	return slices.Compact(workers)
}
