package group

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// Most words of a group are zero or one, or a number of a few bytes, and most groups of a table agree in which are
// what: they have the same shape. So a record in a partition consists of
//
//	the code of its shape
//	the length of the key, in one byte, and the key
//	those words that the shape does not know, without their high zero bytes
//
// A record without a shape, because it has objects, a long key or too many words, is the byte noShape and then a
// record as in a run.
const (
	noShape     = 255
	shapedWords = 16 // at most: kinds are half a byte each
	shapedKey   = 255
	shapeTries  = 4 // codes that a shape may have
)

var codesMost = threshold.New("group: codes of shapes", noShape, 1)

// Kinds of words. Those from 0 to 8 are so many bytes.
const (
	kindOne   = 9 + iota // 1
	kindAgain            // the same as the last word before it that is in the record
	kindInit             // the initial value

	noKinds = 1<<64 - 1 // kinds that no words have
)

// shape says where the words are in a record, behind its key.
type shape struct {
	kinds uint64 // the first word's in the lowest half byte
	words []shapedWord
}

// shapedWord is a word that is read as eight bytes, of which mask selects some, plus base.
type shapedWord struct {
	from, to   uint8 // where it is read, and where it may be written before the words after it are
	same       uint8 // the word that it is read from; this one in most cases
	mask, base uint64
}

// shapes are the shapes of the records of one table.
type shapes struct {
	init     []uint64
	all      [noShape]shape // by code; not in use if words is nil
	sizes    [noShape + 1]uint8
	last     uint64 // kinds of the last shape
	lastCode uint8  // its code
	most     int    // bytes of a record with the longest key of putShort
}

func newShapes(init []uint64) shapes {
	return shapes{init: init, last: noKinds, lastCode: noShape, most: 2 + shortKeyBytes + 8*len(init) + wordSlack}
}

// forget makes the next record take the shape that fits it best, after which others that fit take that one too.
func (s *shapes) forget() { s.last, s.lastCode = noKinds, noShape }

// kindsOf returns the kinds of at most shapedWords words.
func (s *shapes) kindsOf(words []uint64) (kinds uint64) {
	before := uint64(0)
	for i, x := range words {
		kind := x * kindOne // of 0 and 1
		if x > 1 {
			kind = uint64(bits.Len64(x)+7) / 8
			switch {
			case x == before:
				kind = kindAgain
			case kind == 8 && x == s.init[i]:
				kind = kindInit
			default:
				before = x
			}
		}
		kinds |= kind << (4 * i & 63)
	}
	return kinds
}

// code returns the code of the shape with these kinds, noShape if there are too many shapes.
func (s *shapes) code(kinds uint64) uint8 {
	if kinds == s.last {
		return s.lastCode
	}
	code := uint8(noShape)
	at := kinds * 0x9e3779b97f4a7c15 >> 56
	for i := range uint64(shapeTries) {
		c := (at + i) % uint64(codesMost.Get())
		known := &s.all[c]
		if known.words == nil {
			s.define(uint8(c), kinds)
		}
		if known.kinds == kinds {
			code = uint8(c)
			break
		}
	}
	s.last, s.lastCode = kinds, code
	return code
}

// define gives a code to a shape.
func (s *shapes) define(code uint8, kinds uint64) {
	words, at, before := make([]shapedWord, len(s.init)), uint8(0), shapedWord{}
	for i := range words {
		w := &words[i]
		w.from, w.to, w.same = at, at, uint8(i)
		switch kind := kinds >> (4 * i) & 15; kind {
		case 0:
		case kindOne:
			w.base = 1
		case kindAgain:
			*w = before
			w.to = at
		case kindInit:
			w.base = s.init[i]
		default:
			w.mask = 1<<(8*kind) - 1
			before = *w
			at += uint8(kind)
		}
	}
	s.all[code], s.sizes[code] = shape{kinds, words}, at
}

// put writes a record with a shape to b, and returns its length.
func (s *shapes) put(b []byte, code uint8, key []byte, words []uint64) int {
	b[0], b[1] = code, byte(len(key))
	copy(b[2:], key)
	b = b[2+len(key):]
	for i, w := range s.all[code].words[:len(words)] {
		binary.LittleEndian.PutUint64(b[w.to:], words[i])
	}
	return 2 + len(key) + int(s.sizes[code])
}

// putShort writes a record of the last shape, and returns its length; 0 if the words do not fit that shape. There are
// most bytes at b, and shortKeyBytes can be read at the key, which is no longer. A word may have fewer bytes than the
// shape gives it.
func (s *shapes) putShort(b, key unsafe.Pointer, keyBytes int, words []uint64) int {
	if s.lastCode == noShape {
		return 0
	}
	copyShortKey((*[shortKeyBytes]byte)(unsafe.Add(b, 2)), (*[shortKeyBytes]byte)(key))
	*(*uint8)(b), *(*uint8)(unsafe.Add(b, 1)) = s.lastCode, uint8(keyBytes)
	at, differ := unsafe.Add(b, 2+keyBytes), uint64(0)
	shaped := s.all[s.lastCode].words
	for i, x := range words[:len(shaped)] {
		w := &shaped[i]
		differ |= (x&w.mask + w.base) ^ x | (words[w.same] ^ x)
		binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(at, int(w.to)))[:], x)
	}
	if differ != 0 {
		return 0
	}
	return 2 + keyBytes + int(s.sizes[s.lastCode])
}

// take reads the words of a record, of which b begins behind the key. It may read wordSlack more bytes.
func (s *shape) take(b []byte, words []uint64) {
	for i := range words {
		w := &s.words[i]
		words[i] = binary.LittleEndian.Uint64(b[w.from:])&w.mask + w.base
	}
}

// recordSize returns the length of the record at the start of b; ok is false if b ends before that is known.
func (s *shapes) recordSize(b []byte) (n int, ok bool) {
	if len(b) < 2 {
		return 0, false
	}
	if b[0] != noShape {
		return 2 + int(b[1]) + int(s.sizes[b[0]]), true
	}
	head, body, ok := recordSize(b[1:])
	return 1 + head + body, ok
}
