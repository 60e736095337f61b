package compare

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
)

// digests are those of the values of all bit patterns, by numpy 2.4.6 and ml_dtypes: see
// testdata/values.py, which prints them.
var digests = map[string]string{
	"f16":    "385ff5fe69182797cda5f1827e20cf423f4416bc9246f27d0eec27cac9039259",
	"bf16":   "f12e27efe34841dfd6391497b86f389096b03a376586e1d9691bba0a8de3980a",
	"f8e4m3": "422eccfaa21e72a6b26855bb10cdcfead6c1ce3262ecd813c99d8cbf9677f2e2",
	"f8e5m2": "229a94c5f728edf2259da970a0e1dfb45cc1d69cce2b30e37659f3212ec4b8b9",
}

// Every bit pattern has the value that numpy and ml_dtypes give it, and the value has these bits.
func TestNarrowValues(t *testing.T) {
	for _, typ := range Types() {
		name := typ.String()
		want, known := digests[name]
		if typ.bigEndian || !typ.Narrow() {
			continue
		} else if !known {
			t.Errorf("%s: testdata/values.py must know it", name)
		}
		hash := sha256.New()
		for raw := uint64(0); raw <= typ.maxRank(); raw++ {
			v := typ.Value(raw)
			single := math.Float32bits(float32(v))
			if v != v {
				single = 0x7fc00000
			} else if typ.bits(v) != raw || typ.narrowed(v) != v {
				t.Fatalf("%s: %#x is %v, which has the bits %#x and is narrowed to %v", name, raw, v, typ.bits(v), typ.narrowed(v))
			}
			var b [4]byte
			binary.LittleEndian.PutUint32(b[:], single)
			hash.Write(b[:])
		}
		if got := fmt.Sprintf("%x", hash.Sum(nil)); got != want {
			t.Errorf("%s: the values have the digest %s, want %s", name, got, want)
		}
	}
}

// Every value is written so that it is read back, with as few digits as possible, and so are the
// numbers in the middle between two values and next to it, which only exact arithmetic tells apart.
func TestNarrowText(t *testing.T) {
	for name := range digests {
		typ := mustType(t, name)
		for raw := uint64(0); raw < typ.highest(); raw++ {
			v, next := typ.Value(raw), typ.Value(raw+1)
			text := typ.Format(v)
			if got, err := typ.ParseFloat(text); err != nil || got != v {
				t.Fatalf("%s: %v is written as %s, which is read as %v, %v", name, v, text, got, err)
			}
			if n := len(strings.TrimLeft(strings.Trim(strings.ReplaceAll(text, ".", ""), "0"), "0")); n > 6 && !strings.Contains(text, "e") {
				t.Fatalf("%s: %v is written as %s", name, v, text)
			}
			if math.IsInf(next, 0) || v == 0 {
				continue
			}
			middle := (v + next) / 2 // exact in float64
			even := v
			if raw&1 != 0 {
				even = next
			}
			exact := strconv.FormatFloat(middle, 'f', -1, 64)
			if r, ok := new(big.Rat).SetString(exact); !ok || r.Cmp(new(big.Rat).SetFloat64(middle)) != 0 {
				exact = new(big.Rat).SetFloat64(middle).FloatString(200)
			}
			for text, want := range map[string]float64{
				exact: even,
				exact + map[bool]string{true: "", false: "."}[strings.Contains(exact, ".")] + "00000000000000000000000001": next,
				strconv.FormatFloat(middle, 'x', -1, 64): even,
			} {
				if got, err := typ.ParseFloat(text); err != nil || got != want {
					t.Fatalf("%s: %s, between %v and %v, is read as %v, %v, want %v", name, text, v, next, got, err, want)
				}
				if got, err := typ.ParseFloat("-" + text); err != nil || got != -want {
					t.Fatalf("%s: -%s is read as %v, %v, want %v", name, text, got, err, -want)
				}
			}
		}
	}
}

func TestNarrowLimits(t *testing.T) {
	for _, test := range []struct{ typ, text, want string }{
		{"f16", "65504", "65504"}, {"f16", "65519.999", "65504"}, {"f16", "65520", "(-65504 to 65504)"},
		{"f16", "1e400", "(-65504 to 65504)"}, {"f16", "inf", "+Inf"}, {"f16", "-Infinity", "-Inf"},
		{"f16", "6e-8", "6e-08"}, {"f16", "2.98023223876953125e-08", "the nearest are 0 and 6e-08"},
		{"f16", "2.98023223876953126e-08", "6e-08"}, {"f16", "1e-300", "the nearest are 0"}, {"f16", "0e7", "0"},
		{"bf16", "3.3895e38", "339000000000000000000000000000000000000"}, {"bf16", "3.4e38", "does not fit bf16"},
		{"bf16", "0b1000000010000001", "33024"}, {"bf16", "0b10000000100000001", "66048"},
		{"f8e4m3", "448", "448"}, {"f8e4m3", "464", "448"}, {"f8e4m3", "464.0000001", "(-448 to 448)"},
		{"f8e4m3", "inf", "does not fit f8e4m3 (-448 to 448)"}, {"f8e5m2", "inf", "+Inf"},
		{"f8e5m2", "57344", "57344"}, {"f8e5m2", "61440", "does not fit"}, {"f8e5m2", "1_0", "is not a number"},
	} {
		typ := mustType(t, test.typ)
		v, err := typ.ParseFloat(test.text)
		got := typ.Format(v)
		if err != nil {
			got = err.Error()
		}
		if v != 0 && math.Abs(v) > 1e20 && !math.IsInf(v, 0) {
			got = strconv.FormatFloat(v, 'f', -1, 32)
			test.want = strconv.FormatFloat(v, 'f', -1, 32)
			if v != typ.Largest() {
				t.Errorf("%s %s is %v, want the largest", test.typ, test.text, v)
			}
		}
		if !strings.Contains(got, test.want) || err == nil && got != test.want {
			t.Errorf("%s %s: got %s, want %s", test.typ, test.text, got, test.want)
		}
	}
}

// Names as people type them, and what is suggested for others.
func TestTypeNames(t *testing.T) {
	for name, want := range map[string]string{
		"float16": "f16", "half": "f16", "fp16be": "f16be", "bfloat16": "bf16", "BF16": "bf16", "bfloat16le": "bf16",
		"int32": "i32", "uint8": "u8", "float": "f32", "double": "f64", "doublebe": "f64be", "single": "f32", "singlele": "f32",
		"float32": "f32", "fp8_e4m3": "f8e4m3", "F8_E4M3": "f8e4m3", "float8_e4m3fn": "f8e4m3", "e5m2": "f8e5m2",
		"float8_e5m2": "f8e5m2", "FP8-E5M2": "f8e5m2", "byte": "u8", "f8e4m3be": "f8e4m3", "double_be": "f64be",
	} {
		got, err := ParseType(name)
		if err != nil || got.String() != want {
			t.Errorf("ParseType(%q) = %v, %v, want %s", name, got, err, want)
		}
	}
	for name, want := range map[string]string{
		"f8": "did you mean f64, f8e4m3 or f8e5m2?", "int": "did you mean i32 or i64?", "flaot32": "did you mean f32?",
		"f3": "did you mean f32?", "f23": "did you mean f32?", "flaot": "did you mean f32?",
		"bflot16": "did you mean bf16?", "xyzzy": `unknown type "xyzzy" (known: i8 u8`,
		"": `unknown type "" (known: i8`, "longbe": "i32 or i64?",
	} {
		if _, err := ParseType(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseType(%q): got %v, want %s", name, err, want)
		}
	}
	for _, name := range TypeNames() {
		if got := mustType(t, name); got.String() != name {
			t.Errorf("%s is called %s", name, got)
		}
	}
}
