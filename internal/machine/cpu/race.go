//go:build race && !goexperiment.simd

package cpu

const raceDetector = true
