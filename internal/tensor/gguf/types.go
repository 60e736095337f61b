package gguf

import "fmt"

// kind is a type of values.
type kind struct {
	stored string // by its usual name
	name   string // ours; empty for values that are packed in blocks with a common scale
	bytes  int    // of a value; 0 for these
}

// kinds are the types by number. Numbers that are missing were given up.
var kinds = [...]kind{
	0: {"F32", "f32", 4}, 1: {"F16", "f16", 2}, 24: {"I8", "i8", 1}, 25: {"I16", "i16", 2},
	26: {"I32", "i32", 4}, 27: {"I64", "i64", 8}, 28: {"F64", "f64", 8}, 30: {"BF16", "bf16", 2},

	2: {stored: "Q4_0"}, 3: {stored: "Q4_1"}, 6: {stored: "Q5_0"}, 7: {stored: "Q5_1"}, 8: {stored: "Q8_0"},
	9: {stored: "Q8_1"}, 10: {stored: "Q2_K"}, 11: {stored: "Q3_K"}, 12: {stored: "Q4_K"}, 13: {stored: "Q5_K"},
	14: {stored: "Q6_K"}, 15: {stored: "Q8_K"}, 16: {stored: "IQ2_XXS"}, 17: {stored: "IQ2_XS"},
	18: {stored: "IQ3_XXS"}, 19: {stored: "IQ1_S"}, 20: {stored: "IQ4_NL"}, 21: {stored: "IQ3_S"},
	22: {stored: "IQ2_S"}, 23: {stored: "IQ4_XS"}, 29: {stored: "IQ1_M"}, 34: {stored: "TQ1_0"},
	35: {stored: "TQ2_0"}, 39: {stored: "MXFP4"},
}

// typeOf returns the type with a number; one that is not known cannot be looked at, and no more.
func typeOf(number uint32) kind {
	if number < uint32(len(kinds)) && kinds[number].stored != "" {
		return kinds[number]
	}
	return kind{stored: fmt.Sprintf("type %d", number)}
}
