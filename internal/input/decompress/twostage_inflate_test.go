package decompress

import (
	"encoding/binary"
	"math/bits"
)

const (
	windowBytes = 32 << 10
	markerBit   = 1 << 15
)

// bitsAt returns at least 56 bits of deflated data, the lowest first. Data is padded by 16 bytes.
func bitsAt(data []byte, at int) uint64 {
	return binary.LittleEndian.Uint64(data[at>>3:]) >> (at & 7)
}

// findBlock returns the first bit from i on where a block with codes of its own may begin that is not
// the last one, -1 if there is none: its codes must be complete.
func findBlock(data []byte, i int) int {
	var t tables
	for ; i>>3 < len(data)-16; i++ {
		if head := bitsAt(data, i); head&7 == 4 && head>>3&31 < 30 && head>>8&31 < 30 && precodeComplete(data, i) {
			if t.read(data, i+3) > 0 {
				return i
			}
		}
	}
	return -1
}

// precodeComplete reports whether the code of the lengths of codes is complete.
func precodeComplete(data []byte, i int) bool {
	n := int(bitsAt(data, i)>>13&15) + 4
	lengths := bitsAt(data, i+17)
	sum := 0
	for k := range n {
		if k == 18 {
			lengths = bitsAt(data, i+17+54) << 54
		}
		if length := lengths >> (3 * k) & 7; length > 0 {
			sum += 128 >> length
		}
	}
	return sum == 128
}

// code is a table of 15 bits: symbol and length.
type code [1 << 15]uint16

type tables struct{ literals, distances code }

// build makes a table, and reports whether the code is complete or, if so allowed, one or no word.
func (c *code) build(lengths []uint8, fewAllowed bool) bool {
	word, used := 0, 0
	for length := 1; length <= 15; length++ {
		word <<= 1
		for symbol, l := range lengths {
			if int(l) != length {
				continue
			}
			if word >= 1<<length {
				return false
			}
			for i := int(bits.Reverse16(uint16(word)) >> (16 - length)); i < 1<<15; i += 1 << length {
				c[i] = uint16(symbol<<4 | length)
			}
			word++
			used++
		}
	}
	return word == 1<<15 || fewAllowed && used <= 1
}

var precodeOrder = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// read reads the codes of a block and returns the bit behind them, -1 if they are damaged.
func (t *tables) read(data []byte, i int) int {
	head := bitsAt(data, i)
	literals, distances, n := int(head&31)+257, int(head>>5&31)+1, int(head>>10&15)+4
	i += 14
	var small [19]uint8
	for k := range n {
		small[precodeOrder[k]] = uint8(bitsAt(data, i) & 7)
		i += 3
	}
	var words [1 << 7]uint16
	word := 0
	for length := 1; length <= 7; length++ {
		word <<= 1
		for symbol, l := range small {
			if int(l) == length && word < 1<<length {
				for k := int(bits.Reverse8(uint8(word)) >> (8 - length)); k < 1<<7; k += 1 << length {
					words[k] = uint16(symbol<<4 | length)
				}
				word++
			}
		}
	}
	var lengths [286 + 32 + 138]uint8
	for k := 0; k < literals+distances; {
		if i>>3 >= len(data)-16 {
			return -1
		}
		next := bitsAt(data, i)
		entry := words[next&127]
		length := int(entry & 15)
		next >>= length
		i += length
		repeat, value := 1, uint8(entry>>4)
		switch {
		case length == 0 || value == 16 && k == 0:
			return -1
		case value == 16:
			repeat, value, i = 3+int(next&3), lengths[k-1], i+2
		case value == 17:
			repeat, value, i = 3+int(next&7), 0, i+3
		case value == 18:
			repeat, value, i = 11+int(next&127), 0, i+7
		}
		for range repeat {
			lengths[k] = value
			k++
		}
		if k > literals+distances {
			return -1
		}
	}
	if lengths[256] == 0 || !t.literals.build(lengths[:literals], false) ||
		!t.distances.build(lengths[literals:literals+distances], true) {
		return -1
	}
	return i
}

var (
	lengthBase = [29]int{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthMore = [29]int{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
)

// inflatePlain decodes from a block to the end of the data into out, behind a window, as bytes or as
// symbols, and returns their number. The data is not damaged.
func inflatePlain[T byte | uint16](data []byte, i int, out []T) int {
	var t tables
	n := windowBytes
	for last := false; !last; {
		head := bitsAt(data, i)
		last = head&1 != 0
		i += 3
		switch head >> 1 & 3 {
		case 0:
			at := (i + 7) >> 3
			length := int(binary.LittleEndian.Uint16(data[at:]))
			for k := range length {
				out[n+k] = T(data[at+4+k])
			}
			n += length
			i = 8 * (at + 4 + length)
			continue
		case 1:
			t.fixed()
		default:
			i = t.read(data, i)
		}
		i, n = decodeBlock(&t, data, i, out, n)
	}
	return n - windowBytes
}

// fixed makes the codes of blocks that have none of their own.
func (t *tables) fixed() {
	var lengths [288]uint8
	for k := range lengths {
		lengths[k] = 8
		if k >= 144 && k < 256 {
			lengths[k] = 9
		} else if k >= 256 && k < 280 {
			lengths[k] = 7
		}
	}
	t.literals.build(lengths[:], false)
	for k := range 32 {
		lengths[k] = 5
	}
	t.distances.build(lengths[:32], false)
}

func decodeBlock[T byte | uint16](t *tables, data []byte, i int, out []T, n int) (int, int) {
	for {
		next := bitsAt(data, i)
		entry := t.literals[next&(1<<15-1)]
		used := int(entry & 15)
		symbol := int(entry >> 4)
		next >>= used
		if i += used; symbol < 256 {
			out[n] = T(symbol)
			n++
			continue
		}
		if symbol == 256 {
			return i, n
		}
		more := lengthMore[symbol-257]
		length := lengthBase[symbol-257] + int(next&(1<<more-1))
		next >>= more
		i += more
		entry = t.distances[next&(1<<15-1)]
		used = int(entry & 15)
		symbol = int(entry >> 4)
		next >>= used
		distance := symbol + 1
		if symbol > 3 {
			more = symbol/2 - 1
			distance = (2+symbol&1)<<more + 1 + int(next&(1<<more-1))
			used += more
		}
		i += used
		if distance >= length {
			copy(out[n:n+length], out[n-distance:])
		} else {
			for k := range length {
				out[n+k] = out[n+k-distance]
			}
		}
		n += length
	}
}
