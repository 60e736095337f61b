package histogram

import "slices"

// window is a table of counts that grows on both sides as needed.
//
// A window of up to narrowBins bins is counted in four lanes, which lie next to each other so that
// a bin touches one cache line. Lanes are added to the counts before any of their 32-bit counters
// can overflow.
type window struct {
	start     uint64 // the place of counts[0]
	counts    []uint64
	low, high uint64 // the range of places requested; high < low while there is none
	most      uint64 // the largest number of bins from low to high

	lanes   []uint32 // four per bin while the window is narrow
	pending uint64   // values counted in lanes
}

const (
	narrowBins = 1 << 14 // lanes of 256 KiB, which leaves room in the second-level cache
	laneCount  = 4
)

func newWindow(most int) window { return window{low: 1, most: uint64(most)} }

// empty reports whether no place was requested yet.
func (w *window) empty() bool { return w.high < w.low }

// reach makes the window hold all places from low to high. It reports false, and changes nothing,
// if that would be more bins than it may hold.
func (w *window) reach(low, high uint64) bool {
	if !w.empty() {
		low, high = min(low, w.low), max(high, w.high)
	}
	if high-low >= w.most {
		return false
	}
	if low < w.start || high-w.start >= uint64(len(w.counts)) {
		w.grow(low, high)
	}
	w.low, w.high = low, high
	return true
}

// grow moves the counts to a larger table. Each side that grew gets as much room again; the table
// is at most twice what the window may hold.
func (w *window) grow(low, high uint64) {
	w.flush()
	const roomLeast = 64
	room := min(max(high-low+1, roomLeast), w.most-(high-low+1))
	start, last := low, high
	if w.empty() || low < w.low {
		start -= min(room, start)
	}
	if w.empty() || high > w.high {
		last += min(room, ^uint64(0)-last)
	}
	counts := make([]uint64, last-start+1)
	if !w.empty() {
		copy(counts[w.low-start:], w.counts[w.low-w.start:w.high-w.start+1])
	}
	w.start, w.counts, w.lanes = start, counts, nil
	if len(counts) <= narrowBins {
		w.lanes = make([]uint32, laneCount*len(counts))
	}
}

// add counts n values at a place within reach.
func (w *window) add(place, n uint64) { w.counts[place-w.start] += n }

// flush adds the lanes to the counts.
func (w *window) flush() {
	if w.pending == 0 {
		return
	}
	for i := range w.counts {
		for lane := range laneCount {
			w.counts[i] += uint64(w.lanes[laneCount*i+lane])
		}
	}
	clear(w.lanes)
	w.pending = 0
}

// increment counts a value at each of the places plus offset, which must all be within reach.
func increment[T uint32 | uint64](w *window, places []T, offset uint64) {
	first := T(w.start - offset)
	if w.lanes == nil {
		counts := w.counts
		for _, p := range places {
			counts[p-first]++
		}
		return
	}
	const pendingMost = 1<<32 - 1
	if w.pending += uint64(len(places)); w.pending > pendingMost {
		w.pending -= uint64(len(places))
		w.flush()
		w.pending = uint64(len(places))
	}
	lanes := w.lanes
	for ; len(places) >= laneCount; places = places[laneCount:] {
		lanes[laneCount*(places[0]-first)]++
		lanes[laneCount*(places[1]-first)+1]++
		lanes[laneCount*(places[2]-first)+2]++
		lanes[laneCount*(places[3]-first)+3]++
	}
	for _, p := range places {
		lanes[laneCount*(p-first)]++
	}
}

// filled returns the counts from the first to the last that is not zero, and the place of the
// first.
func (w *window) filled() (first uint64, counts []uint64) {
	w.flush()
	some := func(n uint64) bool { return n != 0 }
	i := slices.IndexFunc(w.counts, some)
	if i < 0 {
		return 0, nil
	}
	last := len(w.counts) - 1
	for w.counts[last] == 0 {
		last--
	}
	return w.start + uint64(i), w.counts[i : last+1]
}
