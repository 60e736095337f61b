//go:build goexperiment.simd && arm64

package fields

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// bareNEON makes the masks as package rows does, two at once: a byte that is equal keeps the bit of
// its place, and three rounds of adding neighbours gather the bits. See vector.
func bareNEON(c *Chunk, text []byte, d Dialect) {
	order, weight := archsimd.LoadUint8x16Array(&interleaved), archsimd.LoadUint8x16Array(&weights)
	delim, feed := archsimd.BroadcastUint8x16(d.Delim), archsimd.BroadcastUint8x16('\n')
	base := unsafe.Pointer(unsafe.SliceData(text))
	full := uint(len(text) / 64)
	for word := uint(0); word < full && word < ChunkBytes/64; word++ {
		p := unsafe.Add(base, word*64)
		v0 := archsimd.LoadUint8x16Array((*[16]uint8)(p)).LookupOrZero(order)
		v1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16))).LookupOrZero(order)
		v2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 32))).LookupOrZero(order)
		v3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 48))).LookupOrZero(order)
		both := quarter(v0, v1, delim, weight).ConcatAddPairs(quarter(v2, v3, delim, weight)).
			ConcatAddPairs(quarter(v0, v1, feed, weight).ConcatAddPairs(quarter(v2, v3, feed, weight))).
			ReshapeToUint32s().ReshapeToUint64s()
		c.Delims[word], c.Feeds[word] = both.GetElem(0), both.GetElem(1)
	}
}

// quotedNEON works like quotedAVX512. Finding quotes and carriage returns costs no more than
// finding quotes alone.
func quotedNEON(c *Chunk, text []byte, d Dialect, word int, s State) (int, State) {
	order, weight := archsimd.LoadUint8x16Array(&interleaved), archsimd.LoadUint8x16Array(&weights)
	delim, feed := archsimd.BroadcastUint8x16(d.Delim), archsimd.BroadcastUint8x16('\n')
	quote, ret := archsimd.BroadcastUint8x16(d.Quote), archsimd.BroadcastUint8x16('\r')
	base := unsafe.Pointer(unsafe.SliceData(text))
	i, full, k := uint(word), uint(len(text)/64), s.carry()
	for ; i < full && i < ChunkBytes/64; i++ {
		p := unsafe.Add(base, i*64)
		v0 := archsimd.LoadUint8x16Array((*[16]uint8)(p)).LookupOrZero(order)
		v1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16))).LookupOrZero(order)
		v2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 32))).LookupOrZero(order)
		v3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 48))).LookupOrZero(order)
		both := quarter(v0, v1, delim, weight).ConcatAddPairs(quarter(v2, v3, delim, weight)).
			ConcatAddPairs(quarter(v0, v1, feed, weight).ConcatAddPairs(quarter(v2, v3, feed, weight))).
			ReshapeToUint32s().ReshapeToUint64s()
		delims, feeds := both.GetElem(0), both.GetElem(1)
		both = quarter(v0, v1, quote, weight).ConcatAddPairs(quarter(v2, v3, quote, weight)).
			ConcatAddPairs(quarter(v0, v1, ret, weight).ConcatAddPairs(quarter(v2, v3, ret, weight))).
			ReshapeToUint32s().ReshapeToUint64s()
		quotes, returns := both.GetElem(0), both.GetElem(1)
		before := k
		if quotes|k.inside|k.closed|k.returned != 0 {
			within := k.inside ^ kernel.PrefixXor(quotes)
			k.inside = uint64(int64(within) >> 63)
			delims &^= within
			feeds &^= within
			closing := quotes &^ within
			afterQuote := closing<<1 | k.closed
			k.closed = closing >> 63
			strange := afterQuote &^ (delims | feeds | quotes)
			returned := strange & returns
			bad := quotes&within&^((delims|feeds)<<1|k.fresh|afterQuote) | strange&^returned | (returned<<1|k.returned)&^feeds
			k.returned = returned >> 63
			if bad != 0 {
				k = before
				break
			}
		}
		k.fresh = (delims | feeds) >> 63
		c.Delims[i], c.Feeds[i] = delims, feeds
	}
	return int(i), k.state()
}

func kindsNEON(p *[64]byte, d Dialect) (m masks) {
	order, weight := archsimd.LoadUint8x16Array(&interleaved), archsimd.LoadUint8x16Array(&weights)
	delim, feed := archsimd.BroadcastUint8x16(d.Delim), archsimd.BroadcastUint8x16('\n')
	quote, ret := archsimd.BroadcastUint8x16(d.Quote), archsimd.BroadcastUint8x16('\r')
	v0 := archsimd.LoadUint8x16Array((*[16]uint8)(p[:])).LookupOrZero(order)
	v1 := archsimd.LoadUint8x16Array((*[16]uint8)(p[16:])).LookupOrZero(order)
	v2 := archsimd.LoadUint8x16Array((*[16]uint8)(p[32:])).LookupOrZero(order)
	v3 := archsimd.LoadUint8x16Array((*[16]uint8)(p[48:])).LookupOrZero(order)
	both := quarter(v0, v1, delim, weight).ConcatAddPairs(quarter(v2, v3, delim, weight)).
		ConcatAddPairs(quarter(v0, v1, feed, weight).ConcatAddPairs(quarter(v2, v3, feed, weight))).
		ReshapeToUint32s().ReshapeToUint64s()
	m.delims, m.feeds = both.GetElem(0), both.GetElem(1)
	both = quarter(v0, v1, quote, weight).ConcatAddPairs(quarter(v2, v3, quote, weight)).
		ConcatAddPairs(quarter(v0, v1, ret, weight).ConcatAddPairs(quarter(v2, v3, ret, weight))).
		ReshapeToUint32s().ReshapeToUint64s()
	m.quotes, m.returns = both.GetElem(0), both.GetElem(1)
	return m
}

// quarter is the first round of additions: the bits of the bytes of two vectors that equal b.
func quarter(v0, v1, b, weight archsimd.Uint8x16) archsimd.Uint16x8 {
	return weight.Masked(v0.Equal(b)).ReshapeToUint16s().ConcatAddPairs(weight.Masked(v1.Equal(b)).ReshapeToUint16s())
}
