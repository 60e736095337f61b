//go:build goexperiment.simd && (amd64 || arm64)

package cpu

const vectorOrigin = "archsimd"
