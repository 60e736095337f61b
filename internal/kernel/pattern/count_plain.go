package pattern

// countPlain compares the pattern at every place.
func countPlain(p *Pattern, b []byte) (n, last int) {
	first := p.first
	failures := 0
	for i := 0; i+len(p.value) <= len(b); i++ {
		if b[i+first.off]&first.mask != first.value {
			continue
		}
		if p.matches(b[i:]) {
			n, last = n+1, i
		} else if failures++; p.exhausted(failures, i) {
			return p.countRest(indexLinear, b, i+1, n, last)
		}
	}
	return n, last
}
