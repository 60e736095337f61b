package decompress

import (
	"bytes"
	"encoding/binary"
	"io"
)

// bitReader reads bits, the highest of a byte first. Behind the end of the input it has zeros, so
// that a code can be looked up with more bits than it has; to use such a zero is an error.
type bitReader struct {
	in    input
	buf   []byte
	i     int    // the next byte of buf that is not in acc
	acc   uint64 // the next bits, from the highest on
	n     uint   // bits in acc. Behind them, acc has bits of the input, too, or zeros
	zeros uint   // of n, how many lie behind the end of the input
	err   error  // that ended the input
}

func (r *bitReader) reset(in input) {
	if r.buf == nil {
		r.buf = make([]byte, 0, inputBufferBytes.Get())
	}
	*r = bitReader{in: in, buf: r.buf[:0]}
}

// fill makes at least k bits available, up to 56.
func (r *bitReader) fill(k uint) {
	if r.i+8 <= len(r.buf) {
		r.acc |= binary.BigEndian.Uint64(r.buf[r.i:]) >> r.n
		r.i += int(63-r.n) >> 3
		r.n |= 56
		return
	}
	for empty := 0; r.n < k; {
		switch {
		case r.i < len(r.buf):
			r.acc |= uint64(r.buf[r.i]) << (56 - r.n)
			r.i++
			r.n += 8
		case r.err != nil:
			r.zeros += 64 - r.n
			r.n = 64
		default:
			var n int
			n, r.err = r.in.Read(r.buf[:cap(r.buf)])
			r.buf, r.i = r.buf[:n], 0
			if empty++; n > 0 {
				empty = 0
			} else if empty == emptyReadsMax && r.err == nil {
				r.err = io.ErrNoProgress
			}
		}
	}
}

// peek returns the next k bits, up to 56, which remain.
func (r *bitReader) peek(k uint) (uint64, error) {
	if r.n < k {
		r.fill(k)
	}
	return r.acc >> 1 >> (63 - k), r.ended(k)
}

// drop drops k bits that were peeked at.
func (r *bitReader) drop(k uint) {
	r.acc <<= k
	r.n -= k
}

// take returns the next k bits, up to 56.
func (r *bitReader) take(k uint) (uint64, error) {
	v, err := r.peek(k)
	if err == nil {
		r.drop(k)
	}
	return v, err
}

// ended returns the error that ended the input if it has fewer than k more bits.
func (r *bitReader) ended(k uint) error {
	switch {
	case r.n >= r.zeros+k:
		return nil
	case r.err == io.EOF:
		return io.ErrUnexpectedEOF
	}
	return r.err
}

// align skips the bits up to a whole byte.
func (r *bitReader) align() { r.drop(r.n % 8) }

// place returns the offset of the byte with the next bit, and the bit's index in it.
func (r *bitReader) place() (off int64, bit uint8) {
	if r.n < r.zeros {
		return r.in.pos(), 0
	}
	ahead := uint(len(r.buf)-r.i)*8 + r.n - r.zeros
	return r.in.pos() - int64(ahead+7)/8, uint8(-ahead % 8)
}

const (
	codeBitsMax  = 20 // the longest code
	codeBitsFast = 10 // codes up to this length are found in one step
	symbolsMax   = 258
)

// prefixCode is a canonical prefix code: ascending lengths, and for one length ascending symbols,
// have ascending codes.
type prefixCode struct {
	// fast has for the next bits the symbol and the length of its code, 0 if it is longer.
	fast    [1 << codeBitsFast]uint16
	symbols [symbolsMax]uint16 // in the order of their codes
	// For each length, codes below limit, as the highest of 20 bits, have at most this length. A code
	// of this length minus base is the index of its symbol.
	limit [codeBitsMax + 1]uint32
	base  [codeBitsMax + 1]int32
}

// codeLengthBits is how many bits of an entry of fast hold the length.
const codeLengthBits = 5

// build makes the code from the lengths of all symbols' codes, each 1 to 20. As in bzip2 itself, a
// code may lack words, which are an error only where they occur, and symbols that there are no
// words left for do not occur.
func (c *prefixCode) build(lengths []uint8) {
	clear(c.fast[:])
	word, index := uint32(0), 0
	for bits := range uint32(codeBitsMax + 1) {
		word <<= 1
		c.base[bits] = int32(word) - int32(index)
		for symbol, length := range lengths {
			if uint32(length) != bits || word>>bits > 0 {
				continue
			}
			c.symbols[index] = uint16(symbol)
			if bits <= codeBitsFast {
				free := codeBitsFast - bits
				for i := word << free; i < (word+1)<<free; i++ {
					c.fast[i] = uint16(symbol)<<codeLengthBits | uint16(bits)
				}
			}
			index++
			word++
		}
		c.limit[bits] = word << (codeBitsMax - bits)
	}
}

// long decodes a code that is longer than those of the table. Next is the next 20 bits. It returns 0
// bits if no code begins like that.
func (c *prefixCode) long(next uint32) (symbol uint16, bits uint) {
	for bits := uint(codeBitsFast + 1); bits <= codeBitsMax; bits++ {
		if next < c.limit[bits] {
			return c.symbols[int32(next>>(codeBitsMax-bits))-c.base[bits]], bits
		}
	}
	return 0, 0
}

// nextBlock returns the first place in data, from bit i on, where a block of bzip2 may begin: the
// index of a bit, -1 if there is none. Places whose magic number is not complete in data are left
// out.
//
// The magic number begins at any of the eight bits of a byte. Two whole bytes of it, the second and
// the third behind that byte, rule out nearly all places.
func nextBlock(data []byte, i int) int {
	const whole = bzip2MagicBits / 8
	for k := i / 8; k+whole <= len(data); k++ {
		if magicSecond[data[k+2]]&magicThird[data[k+3]] == 0 {
			continue
		}
		var window [8]byte
		copy(window[:], data[k:])
		bits := binary.BigEndian.Uint64(window[:])
		for shift := range 8 {
			if at := 8*k + shift; at >= i && at+bzip2MagicBits <= 8*len(data) &&
				bits<<shift>>(64-bzip2MagicBits) == bzip2BlockMagic {
				return at
			}
		}
	}
	return -1
}

// For each byte, the bits in the byte that lies two, or three, before it, at which the magic number
// may have begun.
var magicSecond, magicThird = magicBytes(2), magicBytes(3)

func magicBytes(index int) (table [256]uint8) {
	for shift := range 8 {
		table[uint64(bzip2BlockMagic)>>(bzip2MagicBits-8-8*index+shift)&0xff] |= 1 << shift
	}
	return table
}

// bzip2Candidate returns the next place in data where a run may begin, from bit i on: the index of a
// bit, -1 if there is none. It is a stream if its first block follows, and otherwise a block of a
// stream of the given level, if that is known.
func bzip2Candidate(data []byte, i int, level uint8) (int, joint) {
	for at := nextBlock(data, i); at >= 0; at = nextBlock(data, at+1) {
		header := at - 8*bzip2HeaderBytes
		if at%8 == 0 && header >= i && bytes.HasPrefix(data[header/8:], []byte("BZh")) {
			return header, joint{}
		}
		if level > 0 {
			return at, joint{bit: uint8(at % 8), level: level, partial: true}
		}
	}
	return -1, joint{}
}
