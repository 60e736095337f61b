package main

import (
	"fmt"
	"go/types"
	"regexp"
	"strconv"
	"strings"
)

// In arm64 listings places on the stack are as the assembler wants them: from the end of the frame,
// and from the first argument.
var arm64 = machine{
	name:         "arm64",
	intRegisters: strings.Fields("R0 R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 R15"),
	floatRegisters: strings.Fields(
		"F0 F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 F13 F14 F15"),
	noop: "HINT $0",
	jump: regexp.MustCompile(
		`^(B|JMP|B(EQ|NE|LT|LE|GT|GE|LO|LS|HI|HS|CC|CS|MI|PL|VS|VC)|CBN?ZW?|TBN?Z)$`),
	load: func(kind *types.Basic, bytes int64) string {
		switch {
		case kind.Info()&types.IsFloat != 0:
			return map[int64]string{4: "FMOVS", 8: "FMOVD"}[bytes]
		case kind.Info()&types.IsUnsigned != 0 || kind.Info()&types.IsBoolean != 0:
			return map[int64]string{1: "MOVBU", 2: "MOVHU", 4: "MOVWU", 8: "MOVD"}[bytes]
		}
		return map[int64]string{1: "MOVB", 2: "MOVH", 4: "MOVW", 8: "MOVD"}[bytes]
	},
	store: func(kind *types.Basic, bytes int64) string {
		if kind.Info()&types.IsFloat != 0 {
			return map[int64]string{4: "FMOVS", 8: "FMOVD"}[bytes]
		}
		return map[int64]string{1: "MOVB", 2: "MOVH", 4: "MOVW", 8: "MOVD"}[bytes]
	},
	prologue: compiled(`MOVD 16\(g\), R16`, `SUB \$\d+, RSP, R17`, `CMP R16, (RSP|R17)`, `BLS \d+`,
		`MOVD\.W R30, -\d+\(RSP\)`, `MOVD R29, -8\(RSP\)`, `SUB \$8, RSP, R29`,
		`SUB \$\d+, RSP, R20`, `STP \(R29, R30\), -8\(R20\)`, `MOVD R20, RSP`),
	split: regexp.MustCompile(`^BLS `),
	epilogue: compiled(`MOVD\.P \d+\(RSP\), R30`, `MOVD -8\(RSP\), R29`,
		`ADD \$\d+, RSP(, RSP)?`, `ADD \$\d+, RSP, R29`, `LDP -8\(RSP\), \(R29, R30\)`),
	// R27 belongs to the assembler. It may only be loaded by the check that a pointer is not nil.
	refused: regexp.MustCompile(`\bg\b|\bR18\b|\bR27\b.*[,)]|[^)], R27\b|\bRSP\b`),
	// SVE, and NEON: Go 1.26 has no names for half of it.
	encoded: regexp.MustCompile(`^(Z|P[A-Z]|RDVL|CNT[BHWD]$|V)`),
	places:  arm64Places,
}

var arm64Place = regexp.MustCompile(`[^\s,()$]*\((SP|FP)\)`)

// arm64Places shortens the names of places in the frame, and rewrites places of an entry's
// arguments to the arguments' names.
func arm64Places(args string, f *function, in []word) (string, error) {
	var err error
	return arm64Place.ReplaceAllStringFunc(args, func(place string) string {
		name, base, _ := strings.Cut(place, "(")
		off := 0
		if found := lastOffset.FindString(name); found != "" {
			if off, err = strconv.Atoi(found); err != nil {
				return place
			}
		}
		switch {
		case base == "SP)":
			return fmt.Sprintf("local%+d(SP)", off)
		case in == nil:
			return fmt.Sprintf("saved%+d(FP)", off)
		}
		var named string
		if named, err = argument(in, int64(off)); err != nil {
			return place
		}
		return named
	}), err
}
