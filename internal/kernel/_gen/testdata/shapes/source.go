//go:build goexperiment.simd && (amd64 || arm64)

package main

import (
	"math/bits"
	"simd/archsimd"
)

func mixed(a uint8, b bool, c int16, d uint32, e int64, f float32, g2 float64, h string) (
	x uint8, y bool, z float64, w int16, v float32) {
	return a + uint8(len(h)), !b, g2*2 + float64(f), c - int16(d), f / 2
}

func nested(p pair, q outer) outer {
	q.pair.low += p.high
	q.small[0] += p.low
	q.last = !q.last
	return q
}

func slices(b []byte, words []uint64, s string) (sum uint64) {
	for _, c := range b {
		sum += uint64(c)
	}
	for _, w := range words {
		sum = bits.RotateLeft64(sum, 7) ^ w
	}
	for i := range len(s) {
		sum = sum*31 + uint64(s[i])
	}
	return sum
}

// spills has more live values than there are registers, and calls a function that is not inlined.
func spills(p *[32]uint64, n int) (a, b, c, d, e, f, h, i, j uint64) {
	a, b, c, d, e, f, h, i, j = p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]
	k, l, m, o, q, r := p[9], p[10], p[11], p[12], p[13], p[14]
	for x := range n {
		a, b, c, d = a+k*b, b^l+c, c-m+d, d*3+e
		e, f, h = e+o, f^q+uint64(x), h+r*f
		i, j = stir(i, j, uint64(x))
		k, l, m, o, q, r = l, m, o, q, r, k+i
	}
	return a, b, c, d, e, f, h, i, j
}

//go:noinline
func stir(a, b, c uint64) (uint64, uint64) {
	if a > b {
		return swap(b, a+c)
	}
	return a ^ c, b + weights[c%uint64(len(weights))]
}

//go:noinline
func swap(a, b uint64) (uint64, uint64) { return b, a }

func constants(x float64, y float32) (float64, float32) {
	return x*1.25 + 3.0000001, y*0.1 - 7.3
}

func vectors(b []byte, c byte) (n int) {
	want := archsimd.BroadcastUint8x16(c)
	for ; len(b) >= 16; b = b[16:] {
		var lanes [2]uint64
		archsimd.LoadUint8x16Array((*[16]uint8)(b)).Xor(want).ReshapeToUint64s().StoreArray(&lanes)
		n += bits.OnesCount64(lanes[0] | lanes[1])
	}
	return n
}

func large(p *[64]uint64, n int) (sum uint64) {
	var scratch [48]uint64
	for i := range scratch {
		scratch[i] = p[i] * uint64(n)
	}
	for i := range n {
		scratch[i%48] += scratch[(i*7)%48]
	}
	for _, s := range scratch {
		sum ^= s
	}
	return sum
}

func at(b []byte, i int) byte { return b[i] }

func nothing() {}
