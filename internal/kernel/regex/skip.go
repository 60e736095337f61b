package regex

// An automaton that stays in one state over kilobytes, such as the one for "[^"]*" in a
// long string, or any at all in a hole of zeros, does not need to look at each byte: the
// bytes that lead out of the state are searched for instead.

// skip returns the first position in b[i:hi] whose byte leads out of state cur, hi if
// there is none. It may return less when it was told to stop or the cache is full.
func (s *Searcher) skip(cur ref, b []byte, i, hi int) int {
	d := s.fwd
	if s.skips == nil || s.skipsResets != d.resets {
		s.skips, s.skipsResets = map[ref]*finder{}, d.resets
	}
	f := s.skips[cur]
	if f == nil {
		if f = d.leaving(cur); f == nil {
			return i
		}
		s.skips[cur] = f
	}
	for i < hi && !s.stopping() {
		n := min(hi-i, pieceBytes)
		if at := f.index(b[i : i+n]); at >= 0 {
			return i + at
		}
		i += n
	}
	return i
}

// leaving returns the finder of the bytes that lead out of a state, nil if the cache was
// emptied on the way.
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
