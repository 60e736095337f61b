package kernel

// Bytes that come from memory arrive faster if a core reads two streams at a time: the hardware's
// prefetchers stop at the end of a page, so a single stream waits at the beginning of each, and
// then the other goes on. A kernel that can takes half of each block of its loop from one stretch
// and half from the stretch after it:
//
//	for each pair of stretches:
//	    for i in the first: test what is at i, and at i+StretchBytes
//
// A kernel that looks for the first of something reads the first bytes, and a pair in which there
// is something, in order. For bytes in a cache it makes no difference.
const (
	StretchBytes = 16 << 10
	PairBytes    = 2 * StretchBytes

	// NearBytes are read in order first: what is searched for repeatedly often lies nearer, and
	// then the second stretch would be read in vain.
	NearBytes = 8 << 10
)
