package nonzero

// indexSVE does what Func says, for vectors of any length.
//
//go:noescape
func indexSVE(b []byte) int
