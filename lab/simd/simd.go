// Package simd reruns what the posts of February and March 2025 on Daniel Lemire's weblog say
// about vector instructions: what storing a compressed register to memory costs on Zen 4,
// what a divisor that the compiler knows is worth, how signed comparisons order unsigned
// numbers, and how to see that a register is not all zeros. The ideas are the posts', the
// code is not.
package simd

// Input is what the variants work on. None changes it.
type Input struct {
	JSON    []byte
	Numbers []uint32
	Divisor uint32 // at least 2
	Zeros   []byte // of a length that 16 divides
}

// Variant is one way to do a work. Variants of a work give the same answer.
type Variant struct {
	Work, Form string // "minify", "register": simd/minify-register
	Published  string // what the post says of it

	// Unavailable says why the variant cannot run here. New is nil then.
	Unavailable string

	// New makes memory for the results once. What it returns works through all of its part
	// of the input, which has that many bytes, and may be called again and again, by one
	// goroutine.
	New func(in Input) (run func() (answer uint64), bytes int)
}

// ID returns the name that reports and figures go by.
func (v Variant) ID() string { return "simd/" + v.Work + "-" + v.Form }

// Variants returns all variants, those of a work together, also those that cannot run here.
func Variants() []Variant {
	return append(append(minifyVariants(), divideVariants()...), nonzeroVariants()...)
}
