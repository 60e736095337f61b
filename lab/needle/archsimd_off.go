//go:build !goexperiment.simd

package needle

const noArchsimd = "simd/archsimd needs a build with GOEXPERIMENT=simd"
