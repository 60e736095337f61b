package inflate

import "unsafe"

// past keeps the last output of earlier calls, as far as a match may reach back. It moves what it has
// to the front of its memory only when that is full, so short outputs cost no more each than their
// own bytes.
type past struct {
	end  int    // of the output kept
	len  int    // how much of it there is, at most size
	size int    // windowBytes, or as many bytes as that many symbols have
	buf  []byte // allocated when it is needed: short streams end in one call
}

func (p *past) reset() { p.end, p.len = 0, 0 }

// add appends output.
func (p *past) add(out []byte) {
	if len(out) > p.size {
		out = out[len(out)-p.size:]
	}
	p.grow()
	if p.end+len(out) > 2*p.size {
		keep := min(p.len, p.size-len(out))
		p.end = copy(p.buf, p.buf[p.end-keep:p.end])
	}
	p.end += copy(p.buf[p.end:2*p.size], out)
	p.len = min(p.len+len(out), p.size)
}

func (p *past) grow() {
	if need := 2*p.size + overrun; len(p.buf) < need {
		larger := make([]byte, need)
		copy(larger, p.buf)
		p.buf = larger
	}
}

// back returns the byte that lies n bytes before the end.
func (p *past) back(n int) byte { return p.buf[p.end-n] }

// pointer returns the end.
func (p *past) pointer() unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.buf)), p.end)
}
