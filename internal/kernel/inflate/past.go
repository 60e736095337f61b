package inflate

import "unsafe"

// past keeps the last output of earlier calls, as far as a match may reach back. It moves what it has
// to the front of its memory only when that is full, so short outputs cost no more each than their
// own bytes.
type past struct {
	end int    // of the output kept
	len int    // how much of it there is, at most windowBytes
	buf []byte // allocated when it is needed: short streams end in one call
}

func (p *past) reset() { p.end, p.len = 0, 0 }

// add appends output.
func (p *past) add(out []byte) {
	if len(out) > windowBytes {
		out = out[len(out)-windowBytes:]
	}
	if p.buf == nil {
		p.buf = make([]byte, 2*windowBytes+overrun)
	}
	if p.end+len(out) > 2*windowBytes {
		keep := min(p.len, windowBytes-len(out))
		p.end = copy(p.buf, p.buf[p.end-keep:p.end])
	}
	p.end += copy(p.buf[p.end:2*windowBytes], out)
	p.len = min(p.len+len(out), windowBytes)
}

// back returns the byte that lies n bytes before the end.
func (p *past) back(n int) byte { return p.buf[p.end-n] }

// pointer returns the end.
func (p *past) pointer() unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.buf)), p.end)
}
