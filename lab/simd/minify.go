package simd

import "math/bits"

// The post: simdjson's minify compressed 64 bytes at a time, and stored the remaining bytes to memory
// with the same instruction. That takes 256 micro-operations on Zen 4. Compressing to a register
// and storing the whole register takes two and a store. "Speeding up the function by over 15
// times", from 1.25 to 22 GB/s, with twitter.json.
//
// Kept: everything except that instruction is the same in both variants, including the masks, which
// are computed for several blocks in advance, as in simdjson. The comments in
// internal/kernel/minify, the product's own kernel, explain how.

const (
	blockBytes = 64
	tileBlocks = 32 // masks are computed for this many blocks in advance
)

// compressor copies the bytes of blocks that their masks keep, without gaps, and returns how many
// there are. It may write up to a block beyond them.
type compressor func(dst, src *byte, keeps *uint64, blocks int) (n int)

// minifyBy minifies the whole blocks of src.
func minifyBy(compress compressor, dst, src []byte) (n int) {
	var keeps [tileBlocks]uint64
	var inside, escaped uint64
	for len(src) >= blockBytes {
		tile := src[:min(tileBlocks, len(src)/blockBytes)*blockBytes]
		inside, escaped = mark(&keeps, tile, inside, escaped)
		n += compress(&dst[n], &tile[0], &keeps[0], len(tile)/blockBytes)
		src = src[len(tile):]
	}
	return n
}

// escapes finds the escaped bytes of a block. It loops over the backslashes, which are rare.
func escapes(slashes, first uint64) (escaped, next uint64) {
	escaped = first
	for slashes &^= first; slashes != 0; {
		after := slashes & -slashes << 1
		if after == 0 {
			return escaped, 1
		}
		escaped |= after
		slashes &^= after | after>>1
	}
	return escaped, 0
}

// compressPlain is the plain twin of the compressors.
func compressPlain(dst, src []byte, keeps []uint64) (n int) {
	for k, keep := range keeps {
		for ; keep != 0; keep &= keep - 1 {
			dst[n] = src[k*blockBytes+bits.TrailingZeros64(keep)]
			n++
		}
	}
	return n
}

func minifyVariant(method, published string, compress compressor) Variant {
	return Variant{
		Task: "minify", Method: method, Published: published, Unavailable: noCompress(),
		New: func(in Input) (func() uint64, int) {
			dst := make([]byte, len(in.JSON)+blockBytes)
			once := func() uint64 { return uint64(minifyBy(compress, dst, in.JSON)) }
			return once, len(in.JSON)
		},
	}
}

func minifyVariants() []Variant {
	all := []Variant{
		minifyVariant("memory", "1.25 GB/s", compressToMemory),
		minifyVariant("register", "22 GB/s", compressToRegister),
	}
	for i := range all {
		if all[i].Unavailable != "" {
			all[i].New = nil
		}
	}
	return all
}
