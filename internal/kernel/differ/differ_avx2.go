//go:build goexperiment.simd && amd64

package differ

import "simd/archsimd"

// The functions that are not here are derived from those of AVX-512.

func anyAVX2(set archsimd.Uint64x4) bool { return !set.IsZero() }

func unequalAVX2(v, w archsimd.Uint8x32) uint32 { return ^v.Equal(w).ToBits() }
