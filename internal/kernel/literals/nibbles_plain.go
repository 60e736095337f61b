package literals

// manyWords is the number of words from which building a table pays.
const manyWords = 8

// markPlain reads each byte once. Its state holds which buckets match the last byte as their first
// position, the last two bytes as their first two, and so on. With the next byte, each of these
// moves up one position and loses the buckets that do not have the byte there.
func markPlain(f *nibbles, b []byte, marks []uint64) {
	if len(marks) < manyWords {
		f.markPlaces(b, marks)
		return
	}
	fit := f.byBytes()
	state := uint32(0)
	for _, c := range b[:window-1] {
		state = (state<<8 | 0xff) & fit[c]
	}
	b = b[window-1:][:64*len(marks)]
	for word := range marks {
		mark := uint64(0)
		for i, c := range b[64*word:][:64] {
			state = (state<<8 | 0xff) & fit[c]
			if state>>(8*(window-1)) != 0 {
				mark |= 1 << i
			}
		}
		marks[word] |= mark
	}
}

// byBytes returns for each byte the buckets that have it; those of the first position are in the
// lowest bits.
func (f *nibbles) byBytes() (fit [256]uint32) {
	var low, high [16]uint32
	for pos := range window {
		for half := range 16 {
			low[half] |= uint32(f.low[pos][half]) << (8 * pos)
			high[half] |= uint32(f.high[pos][half]) << (8 * pos)
		}
	}
	for c := range fit {
		fit[c] = low[c&15] & high[c>>4]
	}
	return fit
}

// markPlaces tests one place at a time.
func (f *nibbles) markPlaces(b []byte, marks []uint64) {
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
