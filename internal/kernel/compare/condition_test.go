package compare

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/question"
)

func TestParseType(t *testing.T) {
	for name, want := range map[string]Type{
		"i8":    {kind: signed, width: 1},
		"u8be":  {kind: unsigned, width: 1},
		"u16le": {kind: unsigned, width: 2},
		"i32be": {kind: signed, width: 4, bigEndian: true},
		"u64":   {kind: unsigned, width: 8},
		"f32":   {kind: float, width: 4, exponent: 8},
		"f64be": {kind: float, width: 8, bigEndian: true, exponent: 11},
	} {
		got, err := ParseType(name)
		if err != nil || got != want {
			t.Errorf("ParseType(%q) = %+v, %v, want %+v", name, got, err, want)
		}
		if again, err := ParseType(got.String()); err != nil || again != got {
			t.Errorf("ParseType(%q) = %+v, %v, want %+v again", got.String(), again, err, got)
		}
	}
	for _, name := range []string{"", "i", "i4", "f8", "i32bele", "i32lebe", "u8 ", "be"} {
		if got, err := ParseType(name); err == nil {
			t.Errorf("ParseType(%q) = %v, want an error", name, got)
		}
	}
}

func TestTypeMethods(t *testing.T) {
	f := mustType(t, "f32be")
	if f.Width() != 4 || !f.Signed() || !f.Float() || !f.BigEndian() || f.String() != "f32be" {
		t.Errorf("f32be is described as %+v, %s", f, f)
	}
	u := mustType(t, "u16")
	if u.Width() != 2 || u.Signed() || u.Float() || u.BigEndian() || u.String() != "u16" {
		t.Errorf("u16 is described as %+v, %s", u, u)
	}
}

// How text becomes a value: the test checks which value alone equals it.
func TestValues(t *testing.T) {
	f32 := func(f float32) uint64 { return uint64(math.Float32bits(f)) }
	tests := []struct {
		typ, text string
		want      uint64
	}{
		{"u8", "010", 10},
		{"u8", "0xFf", 255},
		{"u8", "0b101", 5},
		{"u8", "+7", 7},
		{"u8", "-0", 0},
		{"i8", "-128", 0x80},
		{"i8", "-0x80", 0x80},
		{"i32", "-1", 0xffffffff},
		{"i64", "-9223372036854775808", 1 << 63},
		{"u64", "18446744073709551615", math.MaxUint64},
		{"f32", "0.1", f32(0.1)},
		{"f32", "16777217", f32(16777216)},
		{"f32", "0x1000001", f32(16777216)},
		{"f32", "-0b11", f32(-3)},
		{"f32", "0x1p-3", f32(0.125)},
		{"f32", "3.4028235e38", f32(math.MaxFloat32)},
		{"f64", "-Inf", math.Float64bits(math.Inf(-1))},
		{"f64", "+infinity", math.Float64bits(math.Inf(1))},
		{"f64", "5e-324", 1},
	}
	for _, test := range tests {
		typ := mustType(t, test.typ)
		p, err := Compile(typ, []question.Condition{{Op: question.Equal, Value: test.text}})
		if err != nil {
			t.Errorf("%s %s: %v", test.typ, test.text, err)
			continue
		}
		b := make([]byte, 24)
		typ.put(b, test.want-1)
		typ.put(b[typ.width:], test.want+1)
		typ.put(b[2*typ.width:], test.want)
		if got := p.Index(b[:3*typ.width]); got != 2*typ.width {
			t.Errorf("%s == %s: found at %d, want %d", test.typ, test.text, got, 2*typ.width)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	tests := []struct {
		typ  string
		cond question.Condition
		want string // part of the error
	}{
		{"u8", question.Condition{Op: question.Equal, Value: "300"}, "value 300 does not fit u8 (0 to 255)"},
		{"u8", question.Condition{Op: question.Equal, Value: "-1"}, "value -1 does not fit u8 (0 to 255)"},
		{"i8", question.Condition{Op: question.Less, Value: "128"}, "value 128 does not fit i8 (-128 to 127)"},
		{"i8", question.Condition{Op: question.Less, Value: "-129"}, "does not fit i8"},
		{"i64be", question.Condition{Op: question.Less, Value: "9223372036854775808"},
			"does not fit i64be (-9223372036854775808 to 9223372036854775807)"},
		{"u64", question.Condition{Op: question.Less, Value: "18446744073709551616"}, "(0 to 18446744073709551615)"},
		{"i32", question.Condition{Op: question.Equal, Value: "1.5"}, `value "1.5" is not a whole number`},
		{"i32", question.Condition{Op: question.Equal}, `value "" is not a whole number`},
		{"i32", question.Condition{Op: question.Equal, Value: "0x"}, "is not a whole number"},
		{"i32", question.Condition{Op: question.Equal, Value: "--1"}, "is not a whole number"},
		{"i32", question.Condition{Op: question.Equal, Value: "1_000"}, "is not a whole number"},
		{"i32", question.Condition{Op: question.IsNaN}, "never NaN"},
		{"i32", question.Condition{Op: question.Between, Value: "5", High: "4"}, "between 5 and 4 holds nothing"},
		{"i32", question.Condition{Op: question.Between, Value: "5", High: "x"}, `value "x" is not a whole number`},
		{"f64", question.Condition{Op: question.Between, Value: "nan", High: "4"}, "nothing equals NaN"},
		{"f64", question.Condition{Op: question.Between, Value: "4", High: "nan"}, "nothing equals NaN"},
		{"f64", question.Condition{Op: question.Equal, Value: "nan"}, "ask for NaN itself (question.IsNaN)"},
		{"f32", question.Condition{Op: question.NotEqual, Value: "-NaN"}, "is not a number"},
		{"f32", question.Condition{Op: question.Greater, Value: "NaN"}, "nothing equals NaN"},
		{"f32", question.Condition{Op: question.Equal, Value: "5e-324"}, "value 5e-324 does not fit f32: the nearest are 0 and 1e-45"},
		{"f64", question.Condition{Op: question.Less, Value: "-1e-400"}, "value -1e-400 does not fit f64: the nearest are 0 and 5e-324"},
		{"f32", question.Condition{Op: question.Equal, Value: "0x1p-160"}, "does not fit f32"},
		{"f32", question.Condition{Op: question.Equal, Value: "0x0.0000000000000000000000000000000000000000f"}, "does not fit f32"},
		{"i32", question.Condition{Op: question.IsInf}, "never inf"},
		{"f32", question.Condition{Op: question.Equal, Value: "1e39"},
			"value 1e39 does not fit f32 (-3.4028235e+38 to 3.4028235e+38)"},
		{"f64", question.Condition{Op: question.Equal, Value: "-1e999"}, "does not fit f64 (-1.7976931348623157e+308"},
		{"f64", question.Condition{Op: question.Equal, Value: "ten"}, `value "ten" is not a number`},
		{"f64", question.Condition{Op: question.Equal, Value: "0x_1p0"}, "is not a number"},
		{"f64", question.Condition{Op: question.Equal, Value: "+-0b1"}, "is not a number"},
		{"f64", question.Condition{Op: question.Equal, Value: "0b2"}, "is not a number"},
		{"f64", question.Condition{Op: question.IsInf + 1, Value: "1"}, "unknown comparison Op(9)"},
	}
	for _, test := range tests {
		_, err := Compile(mustType(t, test.typ), []question.Condition{test.cond})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %+v: error %v, want %q in it", test.typ, test.cond, err, test.want)
		}
	}
	if _, err := Compile(mustType(t, "u8"), nil); err == nil {
		t.Error("no condition: want an error")
	}
	if _, err := Compile(Type{}, []question.Condition{{Op: question.Equal, Value: "1"}}); err == nil {
		t.Error("no type: want an error")
	}
}

// A zero is a zero however it is written.
func TestZeros(t *testing.T) {
	for _, text := range []string{"0", "-0", "0e5", "0.000e-9", "0x0p5", "0x0", "-0x0.0p-3", "0b000", "+0"} {
		for _, name := range []string{"f32", "f64"} {
			p, err := Compile(mustType(t, name), []question.Condition{{Op: question.Equal, Value: text}})
			if err != nil || !p.FitsZero() {
				t.Errorf("%s == %s: error %v, or 0 does not fit", name, text, err)
			}
		}
	}
}

// Several conditions: which of them are alternatives, and which cannot hold together.
func TestSeveralConditions(t *testing.T) {
	eq := func(v string) question.Condition { return question.Condition{Op: question.Equal, Value: v} }
	between := func(low, high string) question.Condition {
		return question.Condition{Op: question.Between, Value: low, High: high}
	}
	for _, test := range []struct {
		conds []question.Condition
		want  string // the values of i8 that fit, or the error
	}{
		{[]question.Condition{eq("5"), eq("-3"), eq("5")}, "-3 5"},
		{[]question.Condition{eq("5"), eq("7"), {Op: question.Greater, Value: "5"}}, "7"},
		{[]question.Condition{between("9", "11"), between("-2", "-1"), between("10", "12")}, "-2 -1 9 10 11 12"},
		{[]question.Condition{between("9", "11"), between("12", "12"), eq("11"), eq("3")}, "11"},
		{[]question.Condition{between("9", "12"), {Op: question.NotEqual, Value: "10"}, {Op: question.NotEqual, Value: "12"}}, "9 11"},
		{[]question.Condition{between("-128", "-127"), between("126", "127")}, "-128 -127 126 127"},
		{[]question.Condition{eq("5"), {Op: question.NotEqual, Value: "5"}}, "no i8 value is == 5 and != 5"},
		{[]question.Condition{{Op: question.Less, Value: "3"}, {Op: question.Greater, Value: "3"}}, "no i8 value is < 3 and > 3"},
		{[]question.Condition{eq("1"), between("2", "3")}, "no i8 value is == 1 and between 2 and 3"},
	} {
		p, err := Compile(mustType(t, "i8"), test.conds)
		got := fmt.Sprint(err)
		if err == nil {
			var fit []string
			for v := -128; v < 128; v++ {
				if b := []byte{byte(int8(v))}; p.Fits(b) {
					fit = append(fit, fmt.Sprint(v))
				}
			}
			got = strings.Join(fit, " ")
		}
		if got != test.want {
			t.Errorf("%v: %q, want %q", test.conds, got, test.want)
		}
	}
	for _, test := range []struct {
		conds []question.Condition
		want  string
	}{
		{[]question.Condition{{Op: question.IsNaN}, {Op: question.IsInf}}, "7fc00000 ff800000 7f800000"},
		{[]question.Condition{{Op: question.IsInf}, {Op: question.Less, Value: "0"}}, "ff800000"},
		{[]question.Condition{{Op: question.IsInf}, eq("1")}, "no f32 value is inf and == 1"},
		{[]question.Condition{{Op: question.IsNaN}, eq("1")}, "no f32 value is NaN and == 1"},
	} {
		p, err := Compile(mustType(t, "f32"), test.conds)
		got := fmt.Sprint(err)
		if err == nil {
			var fit []string
			for _, bits := range []uint32{0x7fc00000, 0xff800000, 0x7f800000, 0, 0x3f800000, 0x7f7fffff} {
				if p.Fits(binary.LittleEndian.AppendUint32(nil, bits)) {
					fit = append(fit, fmt.Sprintf("%08x", bits))
				}
			}
			got = strings.Join(fit, " ")
		}
		if got != test.want {
			t.Errorf("%v: %q, want %q", test.conds, got, test.want)
		}
	}
}

// TestManyAlternatives looks for many values: more and fewer than arcsMost, up to which each is
// counted in a pass.
func TestManyAlternatives(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, arcsMost.Real() - 1, arcsMost.Real(), arcsMost.Real() + 1, 500} {
		var conds []question.Condition
		want := map[int32]bool{}
		for range n {
			v := 2 * r.Int32N(100_000)
			want[v] = true
			conds = append(conds, question.Condition{Op: question.Equal, Value: fmt.Sprint(v)})
		}
		p, err := Compile(mustType(t, "i32be"), conds)
		if err != nil {
			t.Fatal(err)
		}
		var b []byte
		hits, first := 0, -1
		for i := range 20_000 {
			v := r.Int32N(200_000)
			b = binary.BigEndian.AppendUint32(b, uint32(v))
			if want[v] {
				hits++
				if first < 0 {
					first = 4 * i
				}
			}
		}
		if got := p.Count(b); got != hits {
			t.Errorf("%d values: %d, want %d", n, got, hits)
		}
		if got := p.Index(b); got != first {
			t.Errorf("%d values: first at %d, want %d", n, got, first)
		}
	}
}

// Conditions that no value or every value satisfies are recognized without reading a byte.
func TestNothingAndEverything(t *testing.T) {
	tests := []struct {
		typ   string
		conds []question.Condition
		all   bool
	}{
		{"f32", []question.Condition{{Op: question.Less, Value: "-inf"}}, false},
		{"u16", []question.Condition{{Op: question.Less, Value: "0"}}, false},
		{"u16", []question.Condition{{Op: question.GreaterOrEqual, Value: "0"}}, true},
		{"i8", []question.Condition{{Op: question.Greater, Value: "127"}}, false},
		{"u16", []question.Condition{{Op: question.Between, Value: "0", High: "9"}, {Op: question.Between, Value: "9", High: "0xffff"}}, true},
	}
	for _, test := range tests {
		p, err := Compile(mustType(t, test.typ), test.conds)
		if err != nil {
			t.Fatalf("%s %v: %v", test.typ, test.conds, err)
		}
		p.kernel.Func = func([]byte, *arc, int) int {
			t.Errorf("%s %v: the kernel was called", test.typ, test.conds)
			return -1
		}
		want := -1
		if test.all {
			want = 0
		}
		if got := p.Index(make([]byte, 64)); got != want {
			t.Errorf("%s %v: got %d, want %d", test.typ, test.conds, got, want)
		}
		if got := p.Index(nil); got != -1 {
			t.Errorf("%s %v, no bytes: got %d, want -1", test.typ, test.conds, got)
		}
		if p.FitsZero() != test.all {
			t.Errorf("%s %v: FitsZero is %v", test.typ, test.conds, p.FitsZero())
		}
	}
}

func TestOneKernelForOneArc(t *testing.T) {
	tests := []struct {
		typ   string
		conds []question.Condition
		exact bool
	}{
		{"i32", []question.Condition{{Op: question.Greater, Value: "0"}, {Op: question.Less, Value: "9"}}, true},
		{"i32", []question.Condition{{Op: question.NotEqual, Value: "0"}}, true},
		{"i32", []question.Condition{{Op: question.NotEqual, Value: "0"}, {Op: question.NotEqual, Value: "1"}}, true},
		{"i32", []question.Condition{{Op: question.Greater, Value: "0"}, {Op: question.NotEqual, Value: "10"}}, false},
		{"f32", []question.Condition{{Op: question.NotEqual, Value: "0"}}, true},
		{"f32", []question.Condition{{Op: question.IsNaN}}, true},
	}
	for _, test := range tests {
		p, err := Compile(mustType(t, test.typ), test.conds)
		if err != nil {
			t.Fatalf("%s %v: %v", test.typ, test.conds, err)
		}
		if p.exact != test.exact {
			t.Errorf("%s %v: exact is %v, want %v", test.typ, test.conds, p.exact, test.exact)
		}
	}
}
