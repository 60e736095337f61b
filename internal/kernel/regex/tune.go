package regex

// The plan estimates from most data how rare candidates are. tune looks at the actual text: from
// time to time it counts the candidates of each way to search in a sample, and takes the cheapest.

const (
	sampleBytes = 32 << 10
	tuneEvery   = 64 // texts long enough for a sample

	// The cost of each way, in nanoseconds: measured on logs by BenchmarkRipgrep. Only their
	// proportions matter.
	prefixNs = 50  // an automaton from a candidate
	innerNs  = 150 // an automaton over the candidate's line
	sweepNs  = 0.8 // per byte, for the four automatons
)

// tune sets the mode for the next text.
func (s *Searcher) tune() {
	s.mode = s.re.plan.mode
	if s.mode != modePrefix && s.mode != modeInner && s.mode != modeSweep {
		return
	}
	if len(s.b) < 2*sampleBytes {
		if s.texts > 0 {
			s.mode = s.tuned
		}
		return
	}
	if s.texts%tuneEvery == 0 {
		s.tuned = s.sample(s.b[:sampleBytes])
	}
	s.texts++
	s.mode = s.tuned
}

// sample returns the mode that costs least on a part of the text.
func (s *Searcher) sample(b []byte) mode {
	best, least := modeSweep, sweepNs*float64(len(b))
	try := func(m mode, f *finder, ns float64) bool {
		cost := ns * float64(f.count(b, int(least/ns)+1))
		if cost >= least {
			return false
		}
		best, least = m, cost
		return true
	}
	if s.re.plan.finder.exists() {
		try(modePrefix, &s.re.plan.finder, prefixNs)
	}
	for i := range s.re.plan.inners {
		if f := &s.re.plan.inners[i]; try(modeInner, f, innerNs) {
			s.inner = f
		}
	}
	return best
}

// count returns how many candidates there are in b, but at most limit.
func (f *finder) count(b []byte, limit int) (n int) {
	for i := 0; n < limit; i++ {
		at := f.index(b[i:])
		if at < 0 {
			return n
		}
		i += at
		n++
	}
	return n
}
