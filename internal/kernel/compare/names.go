package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/spelling"
)

// names are the types, in the order in which people list them: the name that String returns, how bytes are read,
// and other names, those of C, Go, Rust, numpy, PyTorch and safetensors, in lower case and without hyphens and
// underscores. Names that mean different types in different places, as int, long and f8 do, are not among them.
var names = [...]struct {
	name    string
	typ     Type
	aliases []string
}{
	{"i8", Type{kind: signed, width: 1}, []string{"int8", "s8"}},
	{"u8", Type{kind: unsigned, width: 1}, []string{"uint8", "byte"}},
	{"i16", Type{kind: signed, width: 2}, []string{"int16", "s16", "short"}},
	{"u16", Type{kind: unsigned, width: 2}, []string{"uint16", "ushort"}},
	{"i32", Type{kind: signed, width: 4}, []string{"int32", "s32"}},
	{"u32", Type{kind: unsigned, width: 4}, []string{"uint32"}},
	{"i64", Type{kind: signed, width: 8}, []string{"int64", "s64"}},
	{"u64", Type{kind: unsigned, width: 8}, []string{"uint64"}},
	{"f16", Type{kind: float, width: 2, exponent: 5}, []string{"float16", "fp16", "half"}},
	{"bf16", Type{kind: float, width: 2, exponent: 8}, []string{"bfloat16", "bfloat"}},
	{"f32", Type{kind: float, width: 4, exponent: 8}, []string{"float32", "fp32", "float", "single"}},
	{"f64", Type{kind: float, width: 8, exponent: 11}, []string{"float64", "fp64", "double"}},
	{"f8e4m3", Type{kind: float, width: 1, exponent: 4 | finite}, []string{"f8e4m3fn", "float8e4m3fn",
		"float8e4m3", "fp8e4m3fn", "fp8e4m3", "e4m3fn", "e4m3"}},
	{"f8e5m2", Type{kind: float, width: 1, exponent: 5}, []string{"float8e5m2", "fp8e5m2", "e5m2"}},
}

// TypeNames returns the names of all types, without a byte order.
func TypeNames() []string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = n.name
	}
	return all
}

// Types returns all types, those of several bytes in both byte orders.
func Types() (all []Type) {
	for _, n := range names {
		t := n.typ
		if all = append(all, t); t.width > 1 {
			t.bigEndian = true
			all = append(all, t)
		}
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
		for _, n := range names {
			if n.name == candidate.name || slices.Contains(n.aliases, candidate.name) {
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
	for _, n := range names {
		if d := spelling.Distance(name, n.name); d < least && d < len(n.name) {
			best, least = n.name, d
		}
	}
	for _, n := range names {
		for _, alias := range n.aliases {
			if d := spelling.Distance(name, alias); d < least && d < len(alias)/2 {
				best, least = n.name, d
			}
		}
	}
	return best
}
