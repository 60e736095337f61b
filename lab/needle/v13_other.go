//go:build !(goexperiment.simd && amd64)

package needle

func indexAVX512([]byte) int { return -1 }

func noAVX512() string { return "needs amd64 and a build with GOEXPERIMENT=simd" }
