// Package simd reruns the experiments with vector instructions in the posts of February and March
// 2025 on Daniel Lemire's weblog: what it costs on Zen 4 to compress a register to memory, what it
// gains if the compiler knows a divisor, how signed comparisons order unsigned numbers, and how to
// test whether a register is all zeros. The ideas are the posts', the code is ours.
package simd

// Input is the input of the variants. They do not change it.
type Input struct {
	JSON    []byte
	Numbers []uint32
	Divisor uint32 // at least 2
	Zeros   []byte // the length is a multiple of 16
}

// Variant is one way to do a task. All variants of a task give the same answer.
type Variant struct {
	Task, Method string // "minify", "register": simd/minify-register
	Published    string // what the post reports

	// Unavailable says why the variant cannot run here. New is then nil.
	Unavailable string

	// New allocates memory for the results and returns a function that processes the variant's part
	// of the input, and the length of that part. The function may be called repeatedly, by one
	// goroutine at a time.
	New func(in Input) (run func() (answer uint64), bytes int)
}

// ID returns the variant's name in reports.
func (v Variant) ID() string { return "simd/" + v.Task + "-" + v.Method }

// Variants returns all variants, grouped by task, including those that cannot run here.
func Variants() []Variant {
	return append(append(minifyVariants(), divideVariants()...), nonzeroVariants()...)
}
