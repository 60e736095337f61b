package simd

// The post: to test whether a NEON register is not all zeros, take the maximum of its four 32-bit
// lanes: three instructions. SVE compares the lanes with zero and tests the predicate: two.

// nonzeroVariants count the 16-byte registers that are not all zeros.
func nonzeroVariants() []Variant {
	neon := Variant{
		Task: "nonzero", Method: "neon", Published: "3 instructions",
		Unavailable: "needs arm64",
	}
	if countNEON != nil {
		neon.Unavailable, neon.New = "", nonzeroBy(countNEON)
	}
	sve := Variant{
		Task: "nonzero", Method: "sve", Published: "2 instructions",
		Unavailable: "needs arm64 with SVE",
	}
	if count := sveCounter(); count != nil {
		sve.Unavailable, sve.New = "", nonzeroBy(count)
	}
	return []Variant{{Task: "nonzero", Method: "plain", Published: "-", New: nonzeroBy(countPlain)}, neon, sve}
}

func nonzeroBy(count func(b []byte) int) func(in Input) (func() uint64, int) {
	return func(in Input) (func() uint64, int) {
		return func() uint64 { return uint64(count(in.Zeros)) }, len(in.Zeros)
	}
}

func countPlain(b []byte) (n int) {
	for ; len(b) >= 16; b = b[16:] {
		if [16]byte(b) != ([16]byte{}) {
			n++
		}
	}
	return n
}
