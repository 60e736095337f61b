package divide

import "math/bits"

func shift32Plain(dst, src []uint32, _ uint32, shift uint8) (done int) {
	for i, n := range src {
		dst[i] = n >> (shift & 31)
	}
	return len(src)
}

func fit32Plain(dst, src []uint32, reciprocal uint32, shift uint8) (done int) {
	m := uint64(reciprocal)
	for i, n := range src {
		dst[i] = uint32(uint64(n) * m >> 32 >> (shift & 31))
	}
	return len(src)
}

func excess32Plain(dst, src []uint32, reciprocal uint32, shift uint8) (done int) {
	m := uint64(reciprocal)
	for i, n := range src {
		t := uint32(uint64(n) * m >> 32)
		dst[i] = ((n-t)>>1 + t) >> (shift & 31)
	}
	return len(src)
}

func shift64Plain(dst, src []uint64, _ uint64, shift uint8) (done int) {
	for i, n := range src {
		dst[i] = n >> (shift & 63)
	}
	return len(src)
}

func fit64Plain(dst, src []uint64, reciprocal uint64, shift uint8) (done int) {
	for i, n := range src {
		t, _ := bits.Mul64(n, reciprocal)
		dst[i] = t >> (shift & 63)
	}
	return len(src)
}

func excess64Plain(dst, src []uint64, reciprocal uint64, shift uint8) (done int) {
	for i, n := range src {
		t, _ := bits.Mul64(n, reciprocal)
		dst[i] = ((n-t)>>1 + t) >> (shift & 63)
	}
	return len(src)
}
