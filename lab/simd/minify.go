package simd

import "math/bits"

// The post: simdjson's minify compressed 64 bytes at a time and stored what stayed to memory
// by the same instruction, which takes 256 micro-operations on Zen 4; to compress to a
// register, and to store that whole, takes two and a store. "Speeding up the function by
// over 15 times", from 1.25 to 22 GB/s, with twitter.json.
//
// Kept: everything around that instruction is the same here, the masks too, which are made
// for some blocks first. They are made as simdjson makes them; internal/kernel/minify, the
// product's own, says more about that.

const (
	blockBytes = 64
	tileBlocks = 32 // blocks that masks are made for first
)

// compressor moves what stays of blocks together, by masks, and returns how much that is. It
// may write a block behind it.
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

// escapes walks over the backslashes of a block, which are few.
func escapes(slashes, first uint64) (escaped, next uint64) {
	escaped = first
	for slashes &^= first; slashes != 0; {
		behind := slashes & -slashes << 1
		if behind == 0 {
			return escaped, 1
		}
		escaped |= behind
		slashes &^= behind | behind>>1
	}
	return escaped, 0
}

// compressPlain is what the forms must do.
func compressPlain(dst, src []byte, keeps []uint64) (n int) {
	for k, keep := range keeps {
		for ; keep != 0; keep &= keep - 1 {
			dst[n] = src[k*blockBytes+bits.TrailingZeros64(keep)]
			n++
		}
	}
	return n
}

func minifyVariant(form, published string, compress compressor) Variant {
	return Variant{
		Work: "minify", Form: form, Published: published, Unavailable: noCompress(),
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
