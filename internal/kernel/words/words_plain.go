package words

// walkPlain walks character by character; it defines what is right.
func walkPlain(b []byte, inside bool) Walk {
	w := Walk{Inside: inside}
	w.chars(b, printable())
	return w
}

// chars continues the walk over b.
func (w *Walk) chars(b []byte, printable *printables) {
	for i := 0; i < len(b); {
		if c := b[i]; c < 0x80 {
			w.char(uint32(c), c > ' ' && c < 0x7f)
			i++
			continue
		}
		r, n := decode(b[i:])
		if n == 0 {
			i++
			continue
		}
		w.char(r, printable.has(r))
		i += n
	}
}

// char continues the walk over a character.
func (w *Walk) char(r uint32, graphic bool) {
	w.Chars++
	switch {
	case graphic:
		if !w.Inside {
			w.Words++
		}
		w.Inside = true
	case space(r):
		if r == '\n' {
			w.Lines++
		}
		w.Inside = false
	}
}
