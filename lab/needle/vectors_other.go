//go:build !amd64

package needle

func indexAVX2([]byte) int { return -1 }

func noAVX2() string { return "AVX2 assembly needs an amd64 processor" }

func indexAVX512([]byte) int { return -1 }

func noAVX512() string { return "needs an amd64 processor" }
