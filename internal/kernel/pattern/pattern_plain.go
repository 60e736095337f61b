package pattern

// indexPlain compares the pattern at every place.
func indexPlain(p *Pattern, b []byte) int {
	first := p.first
	failures := 0
	for i := 0; i+len(p.value) <= len(b); i++ {
		if b[i+first.off]&first.mask != first.value {
			continue
		}
		if p.matches(b[i:]) {
			return i
		}
		if failures++; p.exhausted(failures, i) {
			return p.rest(b, i+1)
		}
	}
	return -1
}
