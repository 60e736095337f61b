package group

import (
	"encoding/binary"
	"math/bits"
)

// A group outside of a table is a record, which consists of
//
//	the length of the rest: one byte, or 255 and four bytes
//	the length of the key, as a varint, and the key
//	the number of bytes of each word, in half a byte each
//	the words, without their high zero bytes
//	if there is any object: the length of each plus one in four bytes, 0 for no object; then its encoding
const (
	bodyBytesShort = 254
	headBytesMax   = 5 + binary.MaxVarintLen64
	wordSlack      = 8 // a short word is written and read as 8 bytes
)

// recordMost returns how many bytes putRecord needs at most.
func recordMost(keyBytes, words, objectBytes int) int {
	return headBytesMax + keyBytes + (words+1)/2 + 8*words + wordSlack + objectBytes
}

// putRecord writes a group to b, and returns its length.
func putRecord(b, key []byte, words []uint64, objects []byte) int {
	at := 2
	if b[1] = byte(len(key)); len(key) >= 0x80 {
		at = 1 + binary.PutUvarint(b[1:], uint64(len(key)))
	}
	at += copy(b[at:], key)
	at += putWords(b[at:], words)
	at += copy(b[at:], objects)
	if body := at - 1; body <= bodyBytesShort {
		b[0] = byte(body)
	} else {
		copy(b[5:], b[1:at])
		b[0] = bodyBytesShort + 1
		binary.LittleEndian.PutUint32(b[1:], uint32(body))
		at += 4
	}
	return at
}

// putWords writes words to b, and returns their length there. It may write wordSlack more bytes.
func putWords(b []byte, words []uint64) int {
	at := (len(words) + 1) / 2
	sizes := b[:at]
	clear(sizes)
	for i, x := range words {
		n := (bits.Len64(x) + 7) / 8
		sizes[i/2] |= byte(n << (i % 2 * 4))
		binary.LittleEndian.PutUint64(b[at:], x)
		at += n
	}
	return at
}

// takeWords reads words from b, and returns their length there. It may read wordSlack more bytes.
func takeWords(b []byte, words []uint64) int {
	at := (len(words) + 1) / 2
	sizes := b[:at]
	for i := range words {
		n := int(sizes[i/2]>>(i%2*4)) & 15
		words[i] = binary.LittleEndian.Uint64(b[at:]) & (1<<(8*n) - 1)
		at += n
	}
	return at
}

// recordSize returns the lengths of a record's head, which says how long the body is, and of its body.
// ok is false if b ends within the head.
func recordSize(b []byte) (head, body int, ok bool) {
	switch {
	case len(b) == 0:
		return 0, 0, false
	case b[0] <= bodyBytesShort:
		return 1, int(b[0]), true
	case len(b) < 5:
		return 0, 0, false
	}
	return 5, int(binary.LittleEndian.Uint32(b[1:])), true
}

// keyOf returns where the key of a record lies, whose body is b.
func keyOf(b []byte) (from, size int) {
	if b[0] < 0x80 {
		return 1, int(b[0])
	}
	n, from := binary.Uvarint(b)
	return from, int(n)
}
