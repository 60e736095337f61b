package jsontext

// A step of the grammar that takes a state from a table by state and byte waits for the load of the
// state before: eight cycles a word. So here the states are numbers of bits to shift by, and
// a byte has one number that holds, at the place of each state, the state behind it. What is
// loaded then depends on the text alone, and a step is one shift (Vognsen, Shift-based DFAs,
// 2019).
//
// There is room for ten states of six bits. top is not needed, as the walk begins within a value;
// behind topDone nothing may come, so that it shares its place with what is wrong.
var shifts = [states]uint8{
	top: wrong, topDone: wrong, manyTops: 6, arrayFirst: 12, arrayValue: 18, arrayNext: 24,
	objectName1: 30, objectName: 36, objectColon: 42, objectValue: 48, objectNext: 54,
}

// wrong is the shift of no state: whatever follows, it stays.
const wrong = 0

// unshiftedTable turns shifts back, less wrong.
func unshiftedTable() (all [64]state) {
	for s, shift := range shifts {
		all[shift] = state(s)
	}
	all[wrong] = topDone
	return all
}

// In a byte's number, above the bits of the states, stands whether there is more to do.
const (
	isWord    = 1 << 62 // it may begin a number or literal
	isBracket = 1 << 63 // it opens or closes
)

// shiftedTable is for each byte what follows on it. Behind what opens, it is the state behind the
// end; behind what closes, any but wrong.
func shiftedTable() (all [256]uint64) {
	for c := range all {
		for s := manyTops; s < states; s++ {
			do := moves[s][c]
			then := uint64(shifts[do&stateBits])
			switch do &^ stateBits {
			case refused:
				then = wrong
			case endNested:
				then = uint64(shifts[arrayNext])
			case beginWord:
				all[c] |= isWord
			}
			all[c] |= then << shifts[s]
		}
	}
	for _, c := range "{}[]" {
		all[c] |= isBracket
	}
	return all
}

// walk follows the grammar from one beginning of a word in p to the next, and returns where the last
// number or literal ends, if there is one. If it is not ok, the state and the stack of the
// machine mean nothing.
func (m *machine) walk(p []byte, begins []uint16) (end int, ok bool) {
	if m.state == topDone {
		return 0, len(begins) == 0
	}
	at := uint64(shifts[m.state])
	for i := 0; i < len(begins); i++ {
		// Colons, commas and strings are most of what there is, and are over with one shift.
		begin := int(begins[i])
		then := shifted[p[begin]]
		at = then >> (at & 63)
		if then < isWord {
			continue
		}
		if then < isBracket {
			if end = word(p, begin); end < 0 {
				return 0, false
			}
		} else if at = m.bracket(p[begin], at&63); at == wrong {
			return end, m.state == topDone && i+1 == len(begins)
		}
	}
	m.state = unshifted[at&63]
	return end, m.state != topDone
}

// word returns where the number or literal ends that begins at i, or -1 if it does not know.
//
//go:noinline
func word(p []byte, i int) int {
	if p[i] > '9' {
		return literal(p, i)
	}
	return number(p, i)
}

// bracket takes a bracket or brace, and returns the shift of the state behind it: wrong also
// where the text is done, as the state then says.
//
//go:noinline
func (m *machine) bracket(c byte, then uint64) (at uint64) {
	m.state = top
	switch {
	case then == wrong:
		return wrong
	case c|0x20 == '}':
		last := len(m.stack) - 1
		m.state, m.stack = m.stack[last], m.stack[:last]
		return uint64(shifts[m.state])
	case len(m.stack) == m.depthMax:
		return wrong
	}
	m.stack = append(m.stack, unshifted[then])
	if c == '[' {
		return uint64(shifts[arrayFirst])
	}
	return uint64(shifts[objectName1])
}
