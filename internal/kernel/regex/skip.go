package regex

// An automaton may stay in one state over kilobytes: the one for "[^"]*" in a long string, or any
// in a hole of zeros. It need not look at each byte then: a search for the bytes that leave the
// state is faster.

// skip returns the first position in b[i:hi] whose byte leaves state cur, hi if there is none, or
// less if it was told to stop. It also returns the state, whose place in the table may have
// changed.
func (s *Searcher) skip(cur ref, b []byte, i, hi int) (int, ref) {
	d := s.fwd
	if s.skips == nil || s.skipsResets != d.resets {
		s.skips, s.skipsResets = map[ref]*finder{}, d.resets
	}
	f := s.skips[cur]
	if f == nil {
		resets, stood := d.resets, d.states[int(cur&rowMask)/d.stride]
		if f = d.leaving(cur); d.resets != resets {
			return i, d.intern(stood, stood.threads, cur&matched == matched)
		}
		s.skips[cur] = f
	}
	return s.past(f, b, i, hi), cur
}

// past returns the first place that a finder finds in b[i:hi], hi if there is none, or less if it
// was told to stop.
func (s *Searcher) past(f *finder, b []byte, i, hi int) int {
	for i < hi && !s.stopping() {
		n := min(hi-i, pieceBytes)
		if at := f.index(b[i : i+n]); at >= 0 {
			return i + at
		}
		i += n
	}
	return i
}

// leaving returns the finder of the bytes that leave a state, nil if the cache was emptied
// meanwhile.
func (d *dfa) leaving(cur ref) *finder {
	var leaves [256]bool
	resets := d.resets
	for b := range 256 {
		leaves[b] = d.follow(cur, symbol(b)) != cur
		if d.resets != resets {
			return nil
		}
	}
	f := newPairFinder(0, &leaves, 0, &leaves)
	return &f
}
