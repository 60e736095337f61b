//go:build goexperiment.simd && amd64

package fields

import (
	"simd/archsimd"
	"unsafe"
)

// bareAVX2 makes each mask with two comparisons. See vector.
func bareAVX2(c *Chunk, text []byte, d Dialect) {
	delim, feed := archsimd.BroadcastUint8x32(d.Delim), archsimd.BroadcastUint8x32('\n')
	base := unsafe.Pointer(unsafe.SliceData(text))
	full := uint(len(text) / 64)
	for word := uint(0); word < full && word < ChunkBytes/64; word++ {
		v0 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(base, word*64)))
		v1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(base, word*64+32)))
		c.Delims[word] = uint64(v0.Equal(delim).ToBits()) | uint64(v1.Equal(delim).ToBits())<<32
		c.Feeds[word] = uint64(v0.Equal(feed).ToBits()) | uint64(v1.Equal(feed).ToBits())<<32
	}
	archsimd.ClearAVXUpperBits()
}

// quotedAVX2 works like quotedAVX512.
func quotedAVX2(c *Chunk, text []byte, d Dialect, word int, s State) (int, State) {
	delim, feed := archsimd.BroadcastUint8x32(d.Delim), archsimd.BroadcastUint8x32('\n')
	quote, ret := archsimd.BroadcastUint8x32(d.Quote), archsimd.BroadcastUint8x32('\r')
	ones := archsimd.BroadcastUint64x2(1<<64 - 1)
	var lone archsimd.Uint64x2 // moves a mask to the multiplication
	base := unsafe.Pointer(unsafe.SliceData(text))
	i, full, k, recent := uint(word), uint(len(text)/64), s.carry(), uint64(0)
	for ; i < full && i < ChunkBytes/64; i++ {
		v0 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(base, i*64)))
		v1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(base, i*64+32)))
		quotes := uint64(v0.Equal(quote).ToBits()) | uint64(v1.Equal(quote).ToBits())<<32
		delims := uint64(v0.Equal(delim).ToBits()) | uint64(v1.Equal(delim).ToBits())<<32
		feeds := uint64(v0.Equal(feed).ToBits()) | uint64(v1.Equal(feed).ToBits())<<32
		before := k
		recent = recent>>4 | quotes
		if recent|k.inside|k.closed|k.returned != 0 {
			within := k.inside ^ lone.SetElem(0, quotes).CarrylessMultiplyEven(ones).GetElem(0)
			k.inside = uint64(int64(within) >> 63)
			delims &^= within
			feeds &^= within
			closing := quotes &^ within
			afterQuote := closing<<1 | k.closed
			k.closed = closing >> 63
			bad := quotes&within&^((delims|feeds)<<1|k.fresh|afterQuote) | k.returned&^feeds
			k.returned = 0
			if strange := afterQuote &^ (delims | feeds | quotes); strange != 0 {
				returned := strange & (uint64(v0.Equal(ret).ToBits()) | uint64(v1.Equal(ret).ToBits())<<32)
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
	archsimd.ClearAVXUpperBits()
	return int(i), k.state()
}

func kindsAVX2(p *[64]byte, d Dialect) (m masks) {
	delim, feed := archsimd.BroadcastUint8x32(d.Delim), archsimd.BroadcastUint8x32('\n')
	quote, ret := archsimd.BroadcastUint8x32(d.Quote), archsimd.BroadcastUint8x32('\r')
	v0 := archsimd.LoadUint8x32Array((*[32]uint8)(p[:]))
	v1 := archsimd.LoadUint8x32Array((*[32]uint8)(p[32:]))
	m.delims = uint64(v0.Equal(delim).ToBits()) | uint64(v1.Equal(delim).ToBits())<<32
	m.feeds = uint64(v0.Equal(feed).ToBits()) | uint64(v1.Equal(feed).ToBits())<<32
	m.quotes = uint64(v0.Equal(quote).ToBits()) | uint64(v1.Equal(quote).ToBits())<<32
	m.returns = uint64(v0.Equal(ret).ToBits()) | uint64(v1.Equal(ret).ToBits())<<32
	archsimd.ClearAVXUpperBits()
	return m
}
