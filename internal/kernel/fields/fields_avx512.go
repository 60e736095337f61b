//go:build goexperiment.simd && amd64

package fields

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// bareAVX512 makes each mask with one comparison. See vector.
//
//gen:also bareAVX2 bareNEON
func bareAVX512(c *Chunk, text []byte, d Dialect) {
	delim, feed := archsimd.BroadcastUint8x64(d.Delim), archsimd.BroadcastUint8x64('\n')
	base := unsafe.Pointer(unsafe.SliceData(text))
	full := uint(len(text) / 64)
	for word := uint(0); word < full && word < ChunkBytes/64; word++ {
		v := loadAVX512(unsafe.Add(base, word*64))
		c.Delims[word], c.Feeds[word] = bothAVX512(equalAVX512(v, delim), equalAVX512(v, feed))
	}
	clearAVX512()
}

// quotedAVX512 does little more work than bareAVX512 for a word outside quotes that has no quote, if those before it
// have none. Where some words have quotes, which ones is unpredictable for the processor, and the work for quotes
// takes less time than a branch that is mispredicted. So a quote is remembered for up to 16 words.
//
//gen:also quotedAVX2 quotedNEON
func quotedAVX512(c *Chunk, text []byte, d Dialect, word int, s State) (int, State) {
	delim, feed := archsimd.BroadcastUint8x64(d.Delim), archsimd.BroadcastUint8x64('\n')
	quote, ret := archsimd.BroadcastUint8x64(d.Quote), archsimd.BroadcastUint8x64('\r')
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2 // moves a mask to the multiplication
	base := unsafe.Pointer(unsafe.SliceData(text))
	i, full, k, recent := uint(word), uint(len(text)/64), s.carry(), uint64(0)
	for ; i < full && i < ChunkBytes/64; i++ {
		v := loadAVX512(unsafe.Add(base, i*64))
		quotes := bitsAVX512(equalAVX512(v, quote))
		delims, feeds := bothAVX512(equalAVX512(v, delim), equalAVX512(v, feed))
		before := k
		recent = recent>>4 | quotes
		if recent|k.inside|k.closed|k.returned != 0 {
			within := k.inside ^ prefixAVX512(quotes, lone, ones)
			k.inside = uint64(int64(within) >> 63)
			delims &^= within
			feeds &^= within
			closing := quotes &^ within
			afterQuote := closing<<1 | k.closed
			k.closed = closing >> 63
			bad := quotes&within&^((delims|feeds)<<1|k.fresh|afterQuote) | k.returned&^feeds
			k.returned = 0
			if strange := afterQuote &^ (delims | feeds | quotes); strange != 0 {
				returned := strange & bitsAVX512(equalAVX512(v, ret))
				bad |= strange&^returned | returned<<1&^feeds
				k.returned = returned >> 63
			}
			if bad != 0 {
				k = before
				break
			}
		}
		k.fresh = (delims | feeds) >> 63
		c.Delims[i], c.Feeds[i] = delims, feeds
	}
	clearAVX512()
	return int(i), k.state()
}

//gen:also kindsAVX2 kindsNEON
func kindsAVX512(p *[64]byte, d Dialect) (m masks) {
	v := loadAVX512(unsafe.Pointer(p))
	delim, feed := archsimd.BroadcastUint8x64(d.Delim), archsimd.BroadcastUint8x64('\n')
	quote, ret := archsimd.BroadcastUint8x64(d.Quote), archsimd.BroadcastUint8x64('\r')
	m.delims, m.feeds = bothAVX512(equalAVX512(v, delim), equalAVX512(v, feed))
	m.quotes, m.returns = bothAVX512(equalAVX512(v, quote), equalAVX512(v, ret))
	clearAVX512()
	return m
}

// A word's bytes are one vector, two or four.
type blockAVX512 = archsimd.Uint8x64

// maskAVX512 is what a comparison gives: NEON gathers the bits of two comparisons at once.
type maskAVX512 = uint64

//gen:also bothAVX2
func bothAVX512(a, b maskAVX512) (uint64, uint64) { return a, b }

//gen:also bitsAVX2 bitsNEON
func bitsAVX512(m maskAVX512) uint64 {
	all, _ := bothAVX512(m, m)
	return all
}

// prefixAVX512 returns at each bit whether the number of bits set up to it is odd.
//
//gen:also prefixAVX2
func prefixAVX512(mask uint64, lone, ones archsimd.Uint64x2) uint64 {
	return lone.SetElem(0, mask).CarrylessMultiplyEven(ones).GetElem(0)
}

//gen:also clearAVX2
func clearAVX512() { archsimd.ClearAVXUpperBits() }

func loadAVX512(p unsafe.Pointer) blockAVX512 { return archsimd.LoadUint8x64Array((*[64]uint8)(p)) }

func equalAVX512(v blockAVX512, c archsimd.Uint8x64) maskAVX512 { return v.Equal(c).ToBits() }

// listAVX512 lists the separators of the first words: it compresses a word's bytes, and the indexes of these,
// to those of its separators.
func listAVX512(c *Chunk, text *byte, words int) {
	number := archsimd.LoadUint8x64Array(&numbers)
	low, step := archsimd.BroadcastUint16x32(0), archsimd.BroadcastUint16x32(64)
	before, from := uint32(0), unsafe.Pointer(text)
	for word := range c.Delims[:words] {
		separators := c.Delims[word] | c.Feeds[word]
		c.Before[word] = before
		count := uint32(bits.OnesCount64(separators))
		mask := archsimd.Mask8x64FromBits(separators)
		places := number.Compress(mask)
		kinds := archsimd.LoadUint8x64Array((*[64]uint8)(from)).Compress(mask)
		kinds.StoreArray((*[64]uint8)(unsafe.Pointer(&c.kinds[before%ChunkBytes])))
		from = unsafe.Add(from, 64)
		// The list is no longer than the text before this word, so there is room for 64 more
		// places.
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
	archsimd.ClearAVXUpperBits()
}

// pairsAVX512 does the work of betweens for records of two fields, in groups of eight, and returns
// how many records it handled. The separators around a field are neighbours in the list, and so are
// those of consecutive records: each lane handles one record.
func pairsAVX512(c *Chunk, at uint, column records.Column) int {
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

// pairEndsAVX512 does the work of equal for records of two fields, in groups of sixteen, and returns how many ends it
// set. The end of a record is every second place.
func pairEndsAVX512(c *Chunk, at uint, ends []uint32) int {
	const lanes = 16
	whole := len(ends) / lanes * lanes
	if whole == 0 || at == 0 || at-1+2*uint(whole) > ChunkBytes {
		return 0
	}
	from, to := unsafe.Pointer(&c.places[at-1]), unsafe.Pointer(&ends[0])
	for range whole / lanes {
		archsimd.LoadUint32x16Array((*[lanes]uint32)(from)).ShiftAllRight(16).StoreArray((*[lanes]uint32)(to))
		from, to = unsafe.Add(from, 4*lanes), unsafe.Add(to, 4*lanes)
	}
	archsimd.ClearAVXUpperBits()
	return whole
}
