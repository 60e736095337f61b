package decompress

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

const (
	bzip2LevelBytes = 100_000 // of a block, for each level
	bzip2CodesMax   = 6
	groupSymbols    = 50 // that have the same code

	runA, runB = 0, 1 // symbols for the digits of a run's length
)

// bzip2BlockBytes is the memory for decompressing blocks of any level.
const bzip2BlockBytes = 9*bzip2LevelBytes*(4+4+1) + 128<<10

// bzip2Block decompresses a block. What compression did, in this order, is undone from the end:
//
//  1. Four equal bytes are followed by a byte that says how many more follow.
//  2. The Burrows-Wheeler transform sorts all rotations of the block and keeps each one's last byte.
//  3. Each byte is replaced by its place in a list of bytes, of which it then becomes the first, and
//     runs of zeros by their lengths.
//  4. The result is encoded by up to six prefix codes, a selector for each 50 symbols.
type bzip2Block struct {
	want      uint32 // the checksum
	codes     [bzip2CodesMax]prefixCode
	selectors [1 << 15]uint8
	last      []byte // of the sorted rotations
	count     [256]uint32

	// For each rotation, the place of the one that begins a byte later, and its first byte. In pairs,
	// it is the place of the one that begins two bytes later.
	links, pairs []uint32

	at     uint32 // the rotation whose first byte is next; if second, its last byte
	second bool
	left   int    // bytes that were not followed yet
	prev   int    // the byte before, -1 if the next cannot be its repetition
	equal  int    // how often prev has come in a row
	repeat int    // how many more times it is written
	crc    uint32 // of the content so far, with all bits in reverse
}

// decode reads a block behind its magic number.
func (b *bzip2Block) decode(r *bitReader, level int) error {
	want, err := r.take(32)
	if err != nil {
		return err
	}
	b.want = uint32(want)
	if randomized, err := r.take(1); err != nil {
		return err
	} else if randomized != 0 {
		return errRandomized
	}
	origin, err := r.take(24)
	if err != nil {
		return err
	}
	var list [256]byte
	used, err := readUsed(r, &list)
	if err != nil {
		return err
	}
	groups, err := b.readCodes(r, used+2)
	if err != nil {
		return err
	}
	if need := level * bzip2LevelBytes; cap(b.last) < need {
		b.last, b.links, b.pairs = make([]byte, need), make([]uint32, need), make([]uint32, need)
	}
	b.last = b.last[:level*bzip2LevelBytes]
	n, err := b.readSymbols(r, groups, &list, used)
	if err != nil {
		return err
	}
	if origin >= uint64(n) {
		return errBzip2("a block's origin lies outside of it")
	}
	b.link(n)
	b.at, b.second, b.left, b.prev, b.equal, b.repeat, b.crc = uint32(origin), false, n, -1, 0, 0, 0
	return nil
}

// readUsed reads which bytes occur, into list, and returns their number.
func readUsed(r *bitReader, list *[256]byte) (n int, err error) {
	ranges, err := r.take(16)
	if err != nil {
		return 0, err
	}
	for high := range 16 {
		if ranges>>(15-high)&1 == 0 {
			continue
		}
		used, err := r.take(16)
		if err != nil {
			return 0, err
		}
		for low := range 16 {
			if used>>(15-low)&1 != 0 {
				list[n] = byte(high<<4 | low)
				n++
			}
		}
	}
	if n == 0 {
		return 0, errBzip2("a block without a byte")
	}
	return n, nil
}

// readCodes reads the codes of all symbols, and which group has which. It returns the number of
// groups.
func (b *bzip2Block) readCodes(r *bitReader, symbols int) (groups int, err error) {
	head, err := r.take(3 + 15)
	if err != nil {
		return 0, err
	}
	codes, groups := int(head>>15), int(head&(1<<15-1))
	if codes < 2 || codes > bzip2CodesMax || groups == 0 {
		return 0, errBzip2("a block with a wrong number of codes")
	}
	list := [bzip2CodesMax]uint8{0, 1, 2, 3, 4, 5}
	for i := range groups {
		// A place in the list of codes, as so many ones.
		next, _ := r.peek(bzip2CodesMax) // Zeros behind the end are an error of take, below.
		place := bits.LeadingZeros8(^uint8(next << (8 - bzip2CodesMax)))
		if place >= codes {
			return 0, errBzip2("a code that does not exist")
		}
		if _, err := r.take(uint(place) + 1); err != nil {
			return 0, err
		}
		code := list[place]
		copy(list[1:], list[:place])
		list[0] = code
		b.selectors[i] = code
	}
	var lengths [symbolsMax]uint8
	for i := range codes {
		if err := readLengths(r, lengths[:symbols]); err != nil {
			return 0, err
		}
		b.codes[i].build(lengths[:symbols])
	}
	return groups, nil
}

// readLengths reads the lengths of codes: the first, and then steps from each to the next.
func readLengths(r *bitReader, lengths []uint8) error {
	length, err := r.take(5)
	if err != nil {
		return err
	}
	for i := range lengths {
		for {
			if length < 1 || length > codeBitsMax {
				return errBzip2("a code of a wrong length")
			}
			step, err := r.take(1)
			if err != nil {
				return err
			}
			if step == 0 {
				break
			}
			down, err := r.take(1)
			if err != nil {
				return err
			}
			length += 1 - 2*down
		}
		lengths[i] = uint8(length)
	}
	return nil
}

// readSymbols undoes the prefix codes and the list of bytes: it fills last and count, and returns
// the number of bytes.
func (b *bzip2Block) readSymbols(r *bitReader, groups int, list *[256]byte, used int) (n int, err error) {
	clear(b.count[:])
	last := b.last
	end := uint16(used + 1)
	run, digit := 0, 1
	for _, selector := range b.selectors[:groups] {
		code := &b.codes[selector]
		for range groupSymbols {
			if r.n < codeBitsMax {
				r.fill(codeBitsMax)
			}
			entry := code.fast[r.acc>>(64-codeBitsFast)]
			symbol, length := entry>>codeLengthBits, uint(entry&(1<<codeLengthBits-1))
			if length == 0 {
				if symbol, length = code.long(uint32(r.acc >> (64 - codeBitsMax))); length == 0 {
					return 0, errNoSymbol
				}
			}
			r.drop(length)
			if r.zeros > 0 && r.n < r.zeros {
				return 0, r.ended(0)
			}
			if symbol <= runB {
				if run += digit << symbol; run > len(last)-n {
					return 0, errBzip2("a block that is too long")
				}
				digit <<= 1
				continue
			}
			if run > 0 {
				first := list[0]
				for i := range last[n : n+run] {
					last[n+i] = first
				}
				b.count[first] += uint32(run)
				n += run
				run, digit = 0, 1
			}
			if symbol == end {
				return n, nil
			}
			if n == len(last) {
				return 0, errBzip2("a block that is too long")
			}
			c := toFront(list, int(symbol)-1)
			last[n] = c
			b.count[c]++
			n++
		}
	}
	return 0, errBzip2("a block without an end")
}

// toFront moves a byte of the list to its front and returns it. Most bytes come from the first
// eight places, which are moved as one word.
func toFront(list *[256]byte, i int) byte {
	if i >= 8 {
		c := list[i]
		copy(list[1:i+1], list[:i])
		list[0] = c
		return c
	}
	w := binary.LittleEndian.Uint64(list[:])
	c := byte(w >> (8 * i))
	moved := ^uint64(0) >> (56 - 8*i)
	binary.LittleEndian.PutUint64(list[:], w&^moved|w<<8&moved|uint64(c))
	return c
}

// link undoes the sorting. The k-th rotation of those that begin with a byte is the one whose last
// byte, which is before the others' first, is the k-th of that kind: both are in the order of what
// follows.
//
// To follow links takes most of the time: each is somewhere else in memory, and must arrive before the
// next can be asked for. Pairs halve these waits. They are made without waiting, because many reads
// are in flight at once.
func (b *bzip2Block) link(n int) {
	sum := uint32(0)
	for i, count := range b.count {
		b.count[i] = sum
		sum += count
	}
	links := b.links[:n]
	for i, c := range b.last[:n] {
		k := b.count[c]
		b.count[c] = k + 1
		links[k] = uint32(i)<<8 | uint32(c)
	}
	pairs := b.pairs[:n]
	for k, link := range links {
		pairs[k] = links[link>>8]&^0xff | link&0xff
	}
}

// runBytes is how many equal bytes a number of repetitions follows.
const runBytes = 4

// read returns the next bytes of the content, 0 at its end.
func (b *bzip2Block) read(p []byte) (n int) {
	pairs, last, at, second := b.pairs, b.last, b.at, b.second
	left, prev, equal, repeat := b.left, b.prev, b.equal, b.repeat
	for n < len(p) {
		if repeat > 0 {
			k := min(repeat, len(p)-n)
			for i := range p[n : n+k] {
				p[n+i] = byte(prev)
			}
			n += k
			if repeat -= k; repeat == 0 {
				prev = -1
			}
			continue
		}
		if left == 0 {
			break
		}
		var c int
		if second {
			c = int(last[at]) // the byte before the rotation, which is the second of the pair
		} else {
			pair := pairs[at]
			at, c = pair>>8, int(pair&0xff)
		}
		second = !second
		left--
		switch {
		case equal == runBytes:
			equal = 0
			if repeat = c; repeat == 0 {
				prev = -1
			}
			continue
		case c != prev:
			prev, equal = c, 1
		default:
			equal++
		}
		p[n] = byte(c)
		n++
	}
	b.at, b.second, b.left, b.prev, b.equal, b.repeat = at, second, left, prev, equal, repeat
	b.sum(p[:n])
	return n
}

// sum adds content to the checksum. It is the one of gzip, with the bits of each byte, and of the
// sum, in reverse, so that the processor's instructions can be used.
func (b *bzip2Block) sum(p []byte) {
	var reversed [1 << 10]byte
	for len(p) > 0 {
		n := copy(reversed[:], p)
		p = p[n:]
		for i := 0; i < n; i += 8 {
			word := reversed[i : i+8]
			binary.BigEndian.PutUint64(word, bits.Reverse64(binary.LittleEndian.Uint64(word)))
		}
		b.crc = crc32.Update(b.crc, crc32.IEEETable, reversed[:n])
	}
}

// intact reports whether the content has the right checksum.
func (b *bzip2Block) intact() bool { return bits.Reverse32(b.crc) == b.want }
