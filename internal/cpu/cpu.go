// Package cpu is the only place that asks what the processor can do.
//
// Kernels ask it once a job which of their forms may run. The environment variable
// THRESH_ISA narrows the choice, for tests and for operators who want to see what an
// instruction set is worth:
//
//	THRESH_ISA=plain         only the plain twins
//	THRESH_ISA=avx2          AVX2 and the plain twins
//	THRESH_ISA=-avx512       everything that the processor has, but not AVX-512
//
// A name that is not in the table of instruction sets is an error, which Err returns: a
// wrong switch must not look like a slow machine.
package cpu

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// ISA is an instruction set that a kernel may be written for.
type ISA uint8

// The instruction sets, Plain being portable Go that runs everywhere.
const (
	Plain ISA = iota
	NEON
	SVE // vectors as long as the processor says, and a predicate a lane
	AVX2
	AVX512      // F, CD, BW, DQ and VL together
	AVX512VBMI2 // AVX512, and VBMI2, which compresses bytes; allowed where AVX512 is
	isas
)

var names = [isas]string{Plain: "plain", NEON: "neon", SVE: "sve",
	AVX2: "avx2", AVX512: "avx512", AVX512VBMI2: "avx512vbmi2"}

// String returns the name used in receipts, switches and tests.
func (i ISA) String() string { return names[i] }

// Parse returns the instruction set of that name.
func Parse(name string) (ISA, error) {
	if i := slices.Index(names[:], name); i >= 0 {
		return ISA(i), nil
	}
	return Plain, fmt.Errorf("unknown instruction set %q (known: %s)", name, strings.Join(names[:], ", "))
}

var allowed, parseErr = allow(os.Getenv("THRESH_ISA"))

// allow returns the instruction sets that a value of THRESH_ISA leaves.
func allow(value string) (set [isas]bool, err error) {
	set = [isas]bool{true, true, true, true, true, true}
	if value == "" {
		return set, nil
	}
	if !strings.HasPrefix(value, "-") {
		set = [isas]bool{Plain: true}
	}
	for _, word := range strings.Split(value, ",") {
		name, forbidden := strings.CutPrefix(word, "-")
		isa, err := Parse(name)
		if err != nil {
			return set, fmt.Errorf("THRESH_ISA=%s: %w", value, err)
		}
		set[isa] = !forbidden || isa == Plain
		if isa == AVX512 {
			set[AVX512VBMI2] = set[isa]
		}
	}
	return set, nil
}

// Err returns what is wrong with THRESH_ISA, nil when nothing is.
func Err() error { return parseErr }

// Has reports whether kernels of this instruction set may run: the binary was built with
// them, processor and operating system offer them, and THRESH_ISA does not forbid them.
func Has(i ISA) bool { return i == Plain || allowed[i] && offered(i) }
