package simd

import (
	"bytes"
	"math/bits"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/internal/test/gen"
	"github.com/thresh-dev/thresh/lab"
)

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

const wantMinified = "149843 bytes, SHA-256 dbf2c83bd280b634"

func minifyVariants() []lab.Variant {
	variants := []lab.Variant{
		compressing("simd/minify-memory", "store the compressed bytes by the compressing instruction", compressToMemory),
		compressing("simd/minify-register", "compress to a register, store that", compressToRegister),
		minifyVariant("simd/minify-thresh", "thresh.AppendMinified, on one core", nothing, func(dst, src []byte) int {
			return len(thresh.AppendMinified(dst[:0], src))
		}),
	}
	variants[0].Published = []lab.Published{{Value: 1.25}}
	variants[1].Published = []lab.Published{{Value: 22}}
	variants[2].Product = true
	return variants
}

func compressing(id, what string, compress compressor) lab.Variant {
	return minifyVariant(id, what, noCompress, func(dst, src []byte) int { return minifyBy(compress, dst, src) })
}

// minifyVariant returns a variant whose minify returns the length of what it wrote to dst, which has
// room for a block more than src.
func minifyVariant(id, what string, missing func() string, minify func(dst, src []byte) int) lab.Variant {
	return variant(id, what, wantMinified, missing, func() (work, error) {
		src, err := document()
		dst, n := make([]byte, len(src)+blockBytes), 0
		return work{
			once: func() { n = minify(dst, src) }, bytes: len(src),
			answer: func() string { return digest(dst[:n]) },
		}, err
	})
}

// document returns whole blocks of JSON: the post's twitter.json is not ours to copy. It and its output
// fit in a core's L2 cache.
func document() ([]byte, error) {
	var text bytes.Buffer
	err := gen.JSON(&text, 256<<10, 1)
	return text.Bytes()[:text.Len()/blockBytes*blockBytes], err
}
