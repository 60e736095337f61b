package minify

var plain = Kernel{Summarize: summarizePlain, Minify: minifyPlain, Compress: compressPlain}

// white reports whether a byte is white space to JSON (RFC 8259, section 2).
func white(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// minifyPlain defines what is right.
func minifyPlain(dst, src []byte, at State) (n int, end State) {
	for _, c := range src {
		if at.InString || !white(c) {
			dst[n] = c
			n++
		}
		at = at.after(c)
	}
	return n, at
}

// after returns the state behind a byte.
func (s State) after(c byte) State {
	switch {
	case s.Escaped:
		s.Escaped = false
	case c == '\\':
		s.Escaped = true
	case c == '"':
		s.InString = !s.InString
	}
	return s
}

// summarizePlain follows the two beginnings, outside and in a string, which are never the
// same: what one keeps for its white space the other does not.
func summarizePlain(b []byte) (s Summary) {
	s.setPlain(b)
	return s
}

// setPlain is summarizePlain to where the caller wants it: for a few bytes the copy of a
// Summary takes half as long as the work.
func (s *Summary) setPlain(b []byte) {
	*s = None()
	var at State
	for _, c := range b {
		if !white(c) {
			s.Kept++
			s.KeptInside++
		} else if at.InString {
			s.Kept++
		} else {
			s.KeptInside++
		}
		if s.Slashes && c != '\\' {
			s.Slashes, s.Turns = false, c == '"'
		}
		at = at.after(c)
	}
	s.Odd, s.Escapes = at.InString, at.Escaped
}

// compressPlain defines what is right.
func compressPlain(dst, src []byte, keeps []uint64) (n int) {
	for i, keep := range keeps {
		for k, c := range src[i*blockBytes:][:blockBytes] {
			if keep>>k&1 != 0 {
				dst[n] = c
				n++
			}
		}
	}
	return n
}
