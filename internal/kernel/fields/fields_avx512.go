//go:build goexperiment.simd && amd64

package fields

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// numbers are the places of the bytes in a word.
var numbers = [64]uint8{
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
	32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
	48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
}

// markAVX512 makes each mask with one comparison, and the list of places by compressing
// the numbers of a word's bytes to those of its separators. See fields.go.
func markAVX512(c *Chunk, text []byte, d Dialect, s State) State {
	c.reset(len(text))
	k := s.carry()
	if d.Quoted {
		k = markQuotedAVX512(c, text, d, k)
	} else {
		k = markBareAVX512(c, text, d, k)
	}
	archsimd.ClearAVXUpperBits()
	return k.state()
}

// markBareAVX512 is for text in which a quote is a byte like all others.
func markBareAVX512(c *Chunk, text []byte, d Dialect, k carry) carry {
	delim, feed := archsimd.BroadcastUint8x64(d.Delim), archsimd.BroadcastUint8x64('\n')
	number := archsimd.LoadUint8x64Array(&numbers)
	base := unsafe.Pointer(unsafe.SliceData(text[:c.words*64]))
	low, step := archsimd.BroadcastUint16x32(0), archsimd.BroadcastUint16x32(64)
	before, full := uint32(0), uint(len(text)/64)
	for word := uint(0); word < full && word < ChunkBytes/64; word++ {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, word*64)))
		delims, feeds := v.Equal(delim).ToBits(), v.Equal(feed).ToBits()
		separators := delims | feeds
		c.Delims[word], c.Feeds[word], c.Before[word] = delims, feeds, before
		k.fresh = separators >> 63

		// The list is no longer than the text before, so that 64 places fit behind it.
		count := uint32(bits.OnesCount64(separators))
		places := number.Compress(archsimd.Mask8x64FromBits(separators))
		p := unsafe.Pointer(&c.places[before%ChunkBytes])
		places.GetLo().ExtendToUint16().Add(low).StoreArray((*[32]uint16)(p))
		if count > 32 {
			places.GetHi().ExtendToUint16().Add(low).StoreArray((*[32]uint16)(unsafe.Add(p, 64)))
		}
		low = low.Add(step)
		before += count
	}
	c.Before[full] = before
	if len(text)%64 != 0 {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, full*64)))
		k = c.word(int(full*64), len(text)%64, masks{delims: v.Equal(delim).ToBits(), feeds: v.Equal(feed).ToBits()}, k)
	}
	return k
}

// markQuotedAVX512 is for text with quoting.
func markQuotedAVX512(c *Chunk, text []byte, d Dialect, k carry) carry {
	delim, feed := archsimd.BroadcastUint8x64(d.Delim), archsimd.BroadcastUint8x64('\n')
	quote, ret := archsimd.BroadcastUint8x64(d.Quote), archsimd.BroadcastUint8x64('\r')
	number := archsimd.LoadUint8x64Array(&numbers)
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2 // takes a mask to the multiplication
	base := unsafe.Pointer(unsafe.SliceData(text[:c.words*64]))
	low, step := archsimd.BroadcastUint16x32(0), archsimd.BroadcastUint16x32(64)
	before, full := uint32(0), uint(len(text)/64)
	any := uint64(0)
	for word := uint(0); word < full && word < ChunkBytes/64; word++ {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, word*64)))
		quotes := v.Equal(quote).ToBits()
		delims, feeds := v.Equal(delim).ToBits(), v.Equal(feed).ToBits()
		bad := uint64(0)
		separators := delims | feeds
		if quotes|k.inside|k.closed|k.returned != 0 {
			within := k.inside ^ lone.SetElem(0, quotes).CarrylessMultiplyEven(ones).GetElem(0)
			k.inside = uint64(int64(within) >> 63)
			delims &^= within
			feeds &^= within
			separators &^= within
			opening, closing := quotes&within, quotes&^within
			behind := closing<<1 | k.closed
			bad = opening&^(separators<<1|k.fresh|behind) | k.returned&^feeds
			k.closed, k.returned = closing>>63, 0
			if strange := behind &^ (separators | quotes); strange != 0 {
				returned := strange & v.Equal(ret).ToBits()
				bad |= strange&^returned | returned<<1&^feeds
				k.returned = returned >> 63
			}
			any |= bad
		}
		k.fresh = separators >> 63
		c.Delims[word], c.Feeds[word], c.Bad[word], c.Before[word] = delims, feeds, bad, before

		// The list is no longer than the text before, so that 64 places fit behind it.
		count := uint32(bits.OnesCount64(separators))
		places := number.Compress(archsimd.Mask8x64FromBits(separators))
		p := unsafe.Pointer(&c.places[before%ChunkBytes])
		places.GetLo().ExtendToUint16().Add(low).StoreArray((*[32]uint16)(p))
		if count > 32 {
			places.GetHi().ExtendToUint16().Add(low).StoreArray((*[32]uint16)(unsafe.Add(p, 64)))
		}
		low = low.Add(step)
		before += count
	}
	c.bad = any != 0
	c.Before[full] = before
	if len(text)%64 != 0 {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, full*64)))
		k = c.word(int(full*64), len(text)%64, masks{v.Equal(delim).ToBits(), v.Equal(feed).ToBits(),
			v.Equal(quote).ToBits(), v.Equal(ret).ToBits()}, k)
	}
	return k
}
