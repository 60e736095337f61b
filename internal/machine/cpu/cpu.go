// Package cpu is the only place that asks what the processor can do.
//
// Kernels ask it once per job which of their variants can run. The environment variable THRESH_ISA
// narrows the choice, for tests and for operators who want to see what an instruction set is worth:
//
//	THRESH_ISA=plain         only the plain twins
//	THRESH_ISA=avx2          AVX2 and the plain twins
//	THRESH_ISA=-avx512       everything that the processor has, except AVX-512
//
// An unknown name is an error, which Err returns, and so is an instruction set that cannot run on
// this machine: a wrong switch must not look like a slow machine. Excluding an instruction set that
// is not there is allowed.
package cpu

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// ISA is an instruction set for which kernels are written.
type ISA uint8

// The instruction sets. Plain is portable Go, which runs everywhere.
const (
	Plain ISA = iota
	NEON
	SVE // vectors of the length that the processor has, and a predicate per lane
	AVX2
	AVX512      // F, CD, BW, DQ and VL together
	AVX512VBMI2 // AVX512 and VBMI2, which compresses bytes; allowed if AVX512 is
	isas
)

var names = [isas]string{Plain: "plain", NEON: "neon", SVE: "sve",
	AVX2: "avx2", AVX512: "avx512", AVX512VBMI2: "avx512vbmi2"}

// String returns the name used in receipts, switches and tests.
func (i ISA) String() string { return names[i] }

// MarshalText returns the same name.
func (i ISA) MarshalText() ([]byte, error) { return []byte(names[i]), nil }

// Parse returns the instruction set with this name.
func Parse(name string) (ISA, error) {
	if i := slices.Index(names[:], name); i >= 0 {
		return ISA(i), nil
	}
	return Plain, fmt.Errorf("unknown instruction set %q (known: %s)", name, strings.Join(names[:], ", "))
}

var allowed, switchErr = allow(os.Getenv("THRESH_ISA"), offered)

// allow returns the instruction sets that a value of THRESH_ISA allows. Naming one that is not
// offered is an error.
func allow(value string, offered func(ISA) bool) (set [isas]bool, err error) {
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
		if !forbidden && isa != Plain && !offered(isa) {
			return set, fmt.Errorf("THRESH_ISA=%s: %w", value, missing(isa, offered))
		}
		set[isa] = !forbidden || isa == Plain
		if isa == AVX512 {
			set[AVX512VBMI2] = set[isa]
		}
	}
	return set, nil
}

// missing returns the error for an instruction set that was asked for but is not offered.
func missing(i ISA, offered func(ISA) bool) error {
	why := "this processor, its system or this build lacks it"
	if of := i.processor(); of != runtime.GOARCH {
		why = fmt.Sprintf("it is of %s processors, and this build is for %s", of, runtime.GOARCH)
	}
	there := []string{Plain.String()}
	for isa := Plain + 1; isa < isas; isa++ {
		if offered(isa) {
			there = append(there, isa.String())
		}
	}
	return fmt.Errorf("%v cannot run here: %s; available: %s; name one of those, or unset THRESH_ISA",
		i, why, strings.Join(there, ", "))
}

// processor returns the GOARCH of the processors that can have the instruction set.
func (i ISA) processor() string {
	switch i {
	case Plain:
		return runtime.GOARCH
	case NEON, SVE:
		return "arm64"
	}
	return "amd64"
}

// Err returns what is wrong with THRESH_ISA, or nil.
func Err() error { return switchErr }

// Has reports whether kernels of this instruction set can run: the binary contains them, processor
// and operating system offer them, and THRESH_ISA allows them.
//
// A build with the race detector uses only the plain twins, because the detector does not see what
// assembly reads.
func Has(i ISA) bool { return i == Plain || !raceDetector && allowed[i] && offered(i) }

// Available returns the instruction sets whose kernels can run, best first.
func Available() (all []ISA) {
	for i := isas; i > 0; i-- {
		if Has(i - 1) {
			all = append(all, i-1)
		}
	}
	return all
}
