//go:build goexperiment.simd

package needle

const noArchsimd = ""
