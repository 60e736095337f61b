package main

import (
	"fmt"
	"go/types"
	"regexp"
	"strconv"
	"strings"
)

// In amd64 listings a place on the stack is named, but its offset is the hardware's: from SP. In
// the compiler's convention X15 is zero, and R14 is the goroutine.
var amd64 = machine{
	name:         "amd64",
	intRegisters: strings.Fields("AX BX CX DI SI R8 R9 R10 R11"),
	floatRegisters: strings.Fields(
		"X0 X1 X2 X3 X4 X5 X6 X7 X8 X9 X10 X11 X12 X13 X14"),
	noop: "XCHGL AX, AX",
	jump: regexp.MustCompile(`^J`),
	load: func(kind *types.Basic, bytes int64) string {
		if kind.Info()&types.IsFloat != 0 {
			return map[int64]string{4: "MOVSS", 8: "MOVSD"}[bytes]
		}
		return map[int64]string{1: "MOVBLZX", 2: "MOVWLZX", 4: "MOVL", 8: "MOVQ"}[bytes]
	},
	store: func(kind *types.Basic, bytes int64) string {
		if kind.Info()&types.IsFloat != 0 {
			return map[int64]string{4: "MOVSS", 8: "MOVSD"}[bytes]
		}
		return map[int64]string{1: "MOVB", 2: "MOVW", 4: "MOVL", 8: "MOVQ"}[bytes]
	},
	prologue: compiled(`CMPQ SP, 16\(R14\)`, `LEAQ -?\d+\(SP\), R12`, `CMPQ R12, 16\(R14\)`, `JLS \d+`,
		`PUSHQ BP`, `MOVQ SP, BP`, `SUBQ \$\d+, SP`, `ADDQ \$-128, SP`),
	split:    regexp.MustCompile(`^JLS `),
	epilogue: compiled(`POPQ BP`, `ADDQ \$\d+, SP`, `SUBQ \$-128, SP`),
	refused:  regexp.MustCompile(`\bR14\b|\bTLS\b`),
	zero:     regexp.MustCompile(`\b[XYZ]15\b`),
	zeroed:   "VPXOR\tX15, X15, X15",
	places:   amd64Places,
}

var amd64Place = regexp.MustCompile(`[^\s,()$]*\((SP|FP)\)`)
var lastOffset = regexp.MustCompile(`(?:^|[+-])\d+$|^-\d+$`)

// amd64Places rewrites places in the frame to their offset alone, and places of an entry's
// arguments to the arguments' names.
func amd64Places(args string, f *function, in []word) (string, error) {
	var err error
	return amd64Place.ReplaceAllStringFunc(args, func(place string) string {
		off := 0
		if found := lastOffset.FindString(strings.TrimRight(place[:strings.IndexByte(place, '(')], " ")); found != "" {
			if off, err = strconv.Atoi(found); err != nil {
				return place
			}
		}
		own := f.locals + 8 // with the return address
		if off < own || in == nil {
			return fmt.Sprintf("%d(SP)", off)
		}
		var name string
		if name, err = argument(in, int64(off-own)); err != nil {
			return place
		}
		return name
	}), err
}

// argument returns the name of the argument's word at an offset.
func argument(in []word, off int64) (string, error) {
	for _, w := range in {
		if w.off == off {
			return fmt.Sprintf("%s+%d(FP)", w.name, off), nil
		}
	}
	return "", fmt.Errorf("there is no argument at offset %d from the first", off)
}
