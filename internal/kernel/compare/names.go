package compare

import (
	"fmt"
	"strings"
)

// names are the types by the names that String returns, in the order in which people list them.
var names = []struct {
	name string
	typ  Type
}{
	{"i8", Type{kind: signed, width: 1}}, {"u8", Type{kind: unsigned, width: 1}},
	{"i16", Type{kind: signed, width: 2}}, {"u16", Type{kind: unsigned, width: 2}},
	{"i32", Type{kind: signed, width: 4}}, {"u32", Type{kind: unsigned, width: 4}},
	{"i64", Type{kind: signed, width: 8}}, {"u64", Type{kind: unsigned, width: 8}},
	{"f16", Type{kind: float, width: 2, exponentBits: 5}},
	{"bf16", Type{kind: float, width: 2, exponentBits: 8}},
	{"f32", Type{kind: float, width: 4, exponentBits: 8}},
	{"f64", Type{kind: float, width: 8, exponentBits: 11}},
	{"f8e4m3", Type{kind: float, width: 1, exponentBits: e4m3Bits}},
	{"f8e5m2", Type{kind: float, width: 1, exponentBits: 5}},
}

// aliases are other names of the types: those of C, Go, Rust, numpy, PyTorch and safetensors, in
// lower case and without hyphens and underscores. Names that mean different types in different
// places, as int, long and f8 do, are not among them.
var aliases = [...][2]string{
	{"int8", "i8"}, {"s8", "i8"}, {"uint8", "u8"}, {"byte", "u8"},
	{"int16", "i16"}, {"s16", "i16"}, {"short", "i16"}, {"uint16", "u16"},
	{"ushort", "u16"}, {"int32", "i32"}, {"s32", "i32"}, {"uint32", "u32"},
	{"int64", "i64"}, {"s64", "i64"}, {"uint64", "u64"}, {"float16", "f16"},
	{"fp16", "f16"}, {"half", "f16"}, {"bfloat16", "bf16"}, {"bfloat", "bf16"},
	{"float32", "f32"}, {"fp32", "f32"}, {"float", "f32"}, {"single", "f32"},
	{"float64", "f64"}, {"fp64", "f64"}, {"double", "f64"}, {"f8e4m3fn", "f8e4m3"},
	{"float8e4m3fn", "f8e4m3"}, {"float8e4m3", "f8e4m3"}, {"fp8e4m3fn", "f8e4m3"}, {"fp8e4m3", "f8e4m3"},
	{"e4m3fn", "f8e4m3"}, {"e4m3", "f8e4m3"}, {"float8e5m2", "f8e5m2"}, {"fp8e5m2", "f8e5m2"},
	{"e5m2", "f8e5m2"},
}

// TypeNames returns the names of all types, without a byte order.
func TypeNames() []string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = n.name
	}
	return all
}

// ParseType returns the type with this name, one of TypeNames or a usual other name such as int32,
// half or float8_e4m3fn, then optionally le or be. Without either, values are little endian. The
// case of letters, hyphens and underscores have no meaning. The error for an unknown name suggests
// a similar one.
func ParseType(s string) (Type, error) {
	plain := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(s))
	name, bigEndian := strings.CutSuffix(plain, "be")
	if !bigEndian {
		name = strings.TrimSuffix(name, "le")
	}
	for _, candidate := range []struct {
		name      string
		bigEndian bool
	}{{plain, false}, {name, bigEndian}} { // first whole: "double" does not end in le
		known := candidate.name
		for _, alias := range aliases {
			if alias[0] == known {
				known = alias[1]
				break
			}
		}
		for _, n := range names {
			if n.name == known {
				t := n.typ
				t.bigEndian = candidate.bigEndian && t.width > 1
				return t, nil
			}
		}
	}
	hint := ""
	if near := similar(name); near != "" {
		hint = "; did you mean " + near + "?"
	}
	return Type{}, fmt.Errorf("unknown type %q%s (known: %s, then optionally le or be)", s, hint,
		strings.Join(TypeNames(), " "))
}

// unclear are names that mean different types to different people, and what they may mean.
var unclear = [...][2]string{
	{"int", "i32 or i64"}, {"long", "i32 or i64"}, {"integer", "i32 or i64"},
	{"uint", "u32 or u64"}, {"ulong", "u32 or u64"}, {"char", "i8 or u8"},
	{"i4", "i32"}, {"u4", "u32"}, {"i2", "i16"},
	{"u2", "u16"}, {"f2", "f16"}, {"f4", "f32"},
	{"f8", "f64, f8e4m3 or f8e5m2"}, {"fp8", "f8e4m3 or f8e5m2"}, {"float8", "f8e4m3 or f8e5m2"},
	{"real", "f32 or f64"}, {"bool", "u8"},
}

// similar returns the type whose name is nearest, or what an unclear name may mean; "" if nothing
// is near.
func similar(name string) string {
	for _, u := range unclear {
		if u[0] == name {
			return u[1]
		}
	}
	best, least := "", 3 // at most two letters apart
	for _, known := range TypeNames() {
		if d := distance(name, known); d < least && d < len(known) {
			best, least = known, d
		}
	}
	for _, alias := range aliases {
		if d := distance(name, alias[0]); d < least && d < len(alias[0])/2 {
			best, least = alias[1], d
		}
	}
	return best
}

// distance returns how many letters must be changed, inserted or removed to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
