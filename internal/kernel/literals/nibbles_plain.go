package literals

// markPlain looks at one place at a time.
func markPlain(f *nibbles, b []byte, marks []uint64) {
	for i := range 64 * len(marks) {
		fit := uint8(0xff)
		for pos := range window {
			c := b[i+pos]
			fit &= f.low[pos][c&15] & f.high[pos][c>>4]
		}
		if fit != 0 {
			marks[i/64] |= 1 << (i % 64)
		}
	}
}
