package jsonscan

// linesPlain looks up the kind of each byte like markPlain.
func linesPlain(b []byte, lines []Line, at State) (end State, found Found) {
	for i := range len(b) / BlockBytes {
		m, bytes := &lines[i], b[i*BlockBytes:][:BlockBytes]
		var one [1]Block
		var more Found
		at, more = markPlain(bytes, one[:], at)
		*m = Line{Block: one[0]}
		m.lookUp((*[BlockBytes]byte)(bytes))
		found.Invalid = found.Invalid || more.Invalid
		found.NonASCII = found.NonASCII || more.NonASCII
		found.Escapes = found.Escapes || more.Escapes
	}
	return at, found
}

// numberBytes says in which masks of a Line each byte is: bit 8*k for the k-th mask after those of the Block.
var numberBytes = [256]uint64{
	'\n': 1, '0': 1<<8 | 1<<16, '1': 1 << 8, '2': 1 << 8, '3': 1 << 8, '4': 1 << 8, '5': 1 << 8, '6': 1 << 8, '7': 1 << 8,
	'8': 1 << 8, '9': 1 << 8, '.': 1 << 24, '-': 1 << 32, '+': 1 << 40, 'e': 1 << 48, 'E': 1 << 48,
}

// lookUp sets the masks of numberBytes.
func (m *Line) lookUp(b *[BlockBytes]byte) {
	for i := 0; i < BlockBytes; i += 8 {
		p := (*[8]byte)(b[i:])
		all := numberBytes[p[0]] | numberBytes[p[1]]<<1 | numberBytes[p[2]]<<2 | numberBytes[p[3]]<<3 |
			numberBytes[p[4]]<<4 | numberBytes[p[5]]<<5 | numberBytes[p[6]]<<6 | numberBytes[p[7]]<<7
		m.Feeds |= all & 0xff << i
		m.Digits |= all >> 8 & 0xff << i
		m.Zeros |= all >> 16 & 0xff << i
		m.Points |= all >> 24 & 0xff << i
		m.Minuses |= all >> 32 & 0xff << i
		m.Pluses |= all >> 40 & 0xff << i
		m.Exponents |= all >> 48 & 0xff << i
	}
}
