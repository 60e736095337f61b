//go:build !amd64

package needle

func indexAVX512([]byte) int { return -1 }

func noAVX512() string { return "needs an amd64 processor" }
