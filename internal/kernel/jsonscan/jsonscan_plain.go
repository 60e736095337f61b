package jsonscan

import (
	"encoding/binary"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// markPlain looks up the kind of each byte, and turns the bits into masks like the vector variants.
func markPlain(b []byte, blocks []Block, at State) (end State, found Found) {
	w := walkFrom(at)
	var faults, wide, escaped uint64
	for i := range len(b) / BlockBytes {
		m := &blocks[i]
		slashes, controls, high := m.lookUp((*[BlockBytes]byte)(b[i*BlockBytes:]))
		m.Escaped, w.escaped = kernel.Escapes(slashes, w.escaped)
		m.Quotes &^= m.Escaped
		m.Inside = kernel.PrefixXor(m.Quotes) ^ w.inside
		w.inside = -(m.Inside >> (BlockBytes - 1))
		outside := ^(m.Inside | m.Quotes)
		m.Open &= outside
		m.Close &= outside
		m.Colon &= outside
		m.Comma &= outside
		faults |= controls&m.Inside | slashes&^m.Inside
		wide |= high
		escaped |= m.Escaped
	}
	return w.state(), Found{Invalid: faults != 0, NonASCII: wide != 0, Escapes: escaped != 0}
}

// kinds holds the kind of each byte: bit 8*k for kind k. So if the kinds of eight bytes are shifted
// by the index of the byte and ored, byte k of the result is the mask of kind k.
var kinds = func() (kinds [256]uint64) {
	for k, bytes := range [...]string{`"`, "{[", "}]", ":", ",", " \t\n\r", `\`} {
		for _, c := range []byte(bytes) {
			kinds[c] |= 1 << (8 * k)
		}
	}
	for c := range ' ' { // control characters
		kinds[c] |= 1 << (8 * 7)
	}
	return kinds
}()

// lookUp sets the masks of b, both in strings and outside, and sets Quotes to all quotes. It
// returns the masks of backslashes and of control characters, and high, not 0 if a byte is above
// 0x7f.
func (m *Block) lookUp(b *[BlockBytes]byte) (slashes, controls, high uint64) {
	const highBits, gather = 0x8080808080808080, 0x0002040810204081
	*m = Block{}
	for i := 0; i < BlockBytes; i += 8 {
		p := (*[8]byte)(b[i:])
		all := kinds[p[0]] | kinds[p[1]]<<1 | kinds[p[2]]<<2 | kinds[p[3]]<<3 |
			kinds[p[4]]<<4 | kinds[p[5]]<<5 | kinds[p[6]]<<6 | kinds[p[7]]<<7
		m.Quotes |= all & 0xff << i
		m.Open |= all >> 8 & 0xff << i
		m.Close |= all >> 16 & 0xff << i
		m.Colon |= all >> 24 & 0xff << i
		m.Comma |= all >> 32 & 0xff << i
		m.White |= all >> 40 & 0xff << i
		slashes |= all >> 48 & 0xff << i
		controls |= all >> 56 << i
		word := binary.LittleEndian.Uint64(p[:])
		m.Curly |= word << 2 & highBits * gather >> 56 << i // bit 5 distinguishes { from [
		high |= word & highBits
	}
	return slashes, controls, high
}
