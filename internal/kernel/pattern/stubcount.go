package pattern

func (p *Pattern) Count(b []byte, starts int) (n int, end int) {
	in := b[:min(starts+p.Len()-1, len(b))]
	for at := 0; ; {
		i := p.Index(in[at:])
		if i < 0 {
			return n, at
		}
		n++
		at += i + p.Len()
	}
}
