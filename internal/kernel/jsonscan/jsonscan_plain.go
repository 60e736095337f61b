package jsonscan

// markPlain defines what is right.
func markPlain(b []byte, blocks []Block, at State) (end State, found Found) {
	for i, c := range b {
		m, bit := &blocks[i/BlockBytes], uint64(1)<<(i%BlockBytes)
		if i%BlockBytes == 0 {
			*m = Block{}
		}
		quote := c == '"' && !at.Escaped
		if quote {
			m.Quotes |= bit
			at.InString = !at.InString
		}
		if at.InString {
			m.Inside |= bit
		}
		if at.Escaped {
			m.Escaped |= bit
			found.Escapes = true
		}
		outside := !at.InString && !quote
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			m.White |= bit
		}
		if outside {
			m.mark(c, bit)
		}
		if c&0x20 != 0 {
			m.Curly |= bit
		}
		found.Wide = found.Wide || c > 0x7f
		found.Foul = found.Foul || at.InString && c < 0x20 || !at.InString && c == '\\'
		at.Escaped = c == '\\' && !at.Escaped
	}
	return at, found
}

// mark notes a byte outside of strings.
func (m *Block) mark(c byte, bit uint64) {
	switch c {
	case '{', '[':
		m.Open |= bit
	case '}', ']':
		m.Close |= bit
	case ':':
		m.Colon |= bit
	case ',':
		m.Comma |= bit
	}
}
