//go:build goexperiment.simd && amd64

package fields

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/records"
)

// numbers are the places of the bytes in a word.
var numbers = [64]uint8{
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
	32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
	48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
}

// markAVX512 makes each mask with one comparison, and then the list of places from the
// masks: two loops, as there are not registers enough for one. See fields.go.
func markAVX512(c *Chunk, text []byte, d Dialect, s State) State {
	c.reset(len(text))
	c.wide = true
	k := s.carry()
	if d.Quoted {
		k = markWordsAVX512(c, text, d, k)
	} else {
		k = markBareAVX512(c, text, d, k)
	}
	listAVX512(c, len(text)/64)
	if n := len(text) % 64; n != 0 {
		whole := text[:c.words*64]
		v := archsimd.LoadUint8x64Array((*[64]uint8)(whole[len(whole)-64:]))
		delim, feed := archsimd.BroadcastUint8x64(d.Delim), archsimd.BroadcastUint8x64('\n')
		m := masks{delims: v.Equal(delim).ToBits(), feeds: v.Equal(feed).ToBits()}
		if d.Quoted {
			m.quotes = v.Equal(archsimd.BroadcastUint8x64(d.Quote)).ToBits()
			m.returns = v.Equal(archsimd.BroadcastUint8x64('\r')).ToBits()
		}
		k = c.word(len(text)-n, n, m, k)
	}
	archsimd.ClearAVXUpperBits()
	return k.state()
}

// markBareAVX512 sets the masks of all whole words of text in which a quote is a byte like
// all others.
func markBareAVX512(c *Chunk, text []byte, d Dialect, k carry) carry {
	delim, feed := archsimd.BroadcastUint8x64(d.Delim), archsimd.BroadcastUint8x64('\n')
	base := unsafe.Pointer(unsafe.SliceData(text))
	full := uint(len(text) / 64)
	for word := uint(0); word < full && word < ChunkBytes/64; word++ {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, word*64)))
		c.Delims[word], c.Feeds[word] = v.Equal(delim).ToBits(), v.Equal(feed).ToBits()
	}
	if full > 0 {
		k.fresh = (c.Delims[full-1] | c.Feeds[full-1]) >> 63
	}
	return k
}

// markWordsAVX512 does the same for text with quoting. Words in which a byte is out of place
// are gone through byte by byte.
func markWordsAVX512(c *Chunk, text []byte, d Dialect, k carry) carry {
	full := uint(len(text) / 64)
	for word := uint(0); ; word++ {
		if word, k = markQuotedAVX512(c, text, d, word, k); word >= full {
			return k
		}
		var m masks
		for i, b := range text[word*64 : word*64+64] {
			m.add(i, d.kind(b))
		}
		var odd oddWord
		odd, k = m.odd(64, k)
		c.Delims[word], c.Feeds[word], c.Bad[word] = odd.delims, odd.feeds, odd.bad
		c.bad = true
		k.fresh = (odd.delims | odd.feeds) >> 63
	}
}

// markQuotedAVX512 goes on from a word to the first in which a byte is out of place, which it
// returns with what is carried into it, or to the last whole one. Words without a quote,
// outside of quotes, need no more than in markBareAVX512.
func markQuotedAVX512(c *Chunk, text []byte, d Dialect, word uint, k carry) (uint, carry) {
	delim, feed := archsimd.BroadcastUint8x64(d.Delim), archsimd.BroadcastUint8x64('\n')
	quote, ret := archsimd.BroadcastUint8x64(d.Quote), archsimd.BroadcastUint8x64('\r')
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2 // takes a mask to the multiplication
	base := unsafe.Pointer(unsafe.SliceData(text))
	full := uint(len(text) / 64)
	for ; word < full && word < ChunkBytes/64; word++ {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, word*64)))
		quotes := v.Equal(quote).ToBits()
		delims, feeds, bad := v.Equal(delim).ToBits(), v.Equal(feed).ToBits(), uint64(0)
		before := k
		if quotes|k.inside|k.closed|k.returned != 0 {
			within := k.inside ^ lone.SetElem(0, quotes).CarrylessMultiplyEven(ones).GetElem(0)
			k.inside = uint64(int64(within) >> 63)
			delims &^= within
			feeds &^= within
			closing := quotes &^ within
			behind := closing<<1 | k.closed
			k.closed = closing >> 63
			bad = quotes&within&^((delims|feeds)<<1|k.fresh|behind) | k.returned&^feeds
			k.returned = 0
			if strange := behind &^ (delims | feeds | quotes); strange != 0 {
				returned := strange & v.Equal(ret).ToBits()
				bad |= strange&^returned | returned<<1&^feeds
				k.returned = returned >> 63
			}
			if bad != 0 {
				archsimd.ClearAVXUpperBits()
				return word, before
			}
		}
		k.fresh = (delims | feeds) >> 63
		c.Delims[word], c.Feeds[word], c.Bad[word] = delims, feeds, bad
	}
	return word, k
}

// listAVX512 lists the separators of the first words by compressing the numbers of a
// word's bytes to theirs.
func listAVX512(c *Chunk, words int) {
	number := archsimd.LoadUint8x64Array(&numbers)
	low, step := archsimd.BroadcastUint16x32(0), archsimd.BroadcastUint16x32(64)
	before := uint32(0)
	for word := range c.Delims[:words] {
		separators := c.Delims[word] | c.Feeds[word]
		c.Before[word] = before
		count := uint32(bits.OnesCount64(separators))
		places := number.Compress(archsimd.Mask8x64FromBits(separators))
		// The list is no longer than the text before, so that 64 places fit behind it.
		p := unsafe.Pointer(&c.places[before%ChunkBytes])
		places.GetLo().GetLo().ExtendToUint16().Add(low.GetLo()).StoreArray((*[16]uint16)(p))
		if count > 16 {
			places.GetLo().ExtendToUint16().Add(low).StoreArray((*[32]uint16)(p))
			places.GetHi().ExtendToUint16().Add(low).StoreArray((*[32]uint16)(unsafe.Add(p, 64)))
		}
		low = low.Add(step)
		before += count
	}
	c.Before[words] = before
}

// pairsAVX512 does the work of betweens for as many records of two fields as go by eights,
// and returns how many these are. The separators around a field are neighbours in the list,
// and so are those of the records: a lane takes one record's.
func (c *Chunk) pairsAVX512(at uint, column records.Column) int {
	const lanes = 8
	whole := len(column) / lanes * lanes
	if whole == 0 || at == 0 || at-1+2*uint(whole) > ChunkBytes {
		return 0
	}
	low, one := archsimd.BroadcastUint64x8(1<<16-1), archsimd.BroadcastUint64x8(1)
	from, to := unsafe.Pointer(&c.places[at-1]), unsafe.Pointer(&column[0])
	for range whole / lanes {
		both := archsimd.LoadUint32x8Array((*[lanes]uint32)(from)).ExtendToUint64()
		off := both.And(low).Add(one)
		size := both.ShiftAllRight(16).Sub(off)
		off.Or(size.ShiftAllLeft(32)).StoreArray((*[lanes]uint64)(to))
		from, to = unsafe.Add(from, 4*lanes), unsafe.Add(to, 8*lanes)
	}
	archsimd.ClearAVXUpperBits()
	return whole
}
