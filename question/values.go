// Package question declares what can be asked: which values, texts and lines to look for, and what of them to count. It
// has no other code. Package thresh makes queries of it.
package question

import "fmt"

// ValueType is the type of stored values: integers or floats of so many bits. The types without a byte order in their
// name are little-endian. Other usual names, such as int32 and bfloat16, mean the same types; thresh.ParseValueType
// returns the constant.
type ValueType string

// The value types.
const (
	Int8      ValueType = "i8"
	Uint8     ValueType = "u8"
	Int16     ValueType = "i16"
	Uint16    ValueType = "u16"
	Int32     ValueType = "i32"
	Uint32    ValueType = "u32"
	Int64     ValueType = "i64"
	Uint64    ValueType = "u64"
	Float32   ValueType = "f32"
	Float64   ValueType = "f64"
	Int16BE   ValueType = "i16be"
	Uint16BE  ValueType = "u16be"
	Int32BE   ValueType = "i32be"
	Uint32BE  ValueType = "u32be"
	Int64BE   ValueType = "i64be"
	Uint64BE  ValueType = "u64be"
	Float32BE ValueType = "f32be"
	Float64BE ValueType = "f64be"

	Float16    ValueType = "f16"
	BFloat16   ValueType = "bf16" // the upper half of a Float32
	Float16BE  ValueType = "f16be"
	BFloat16BE ValueType = "bf16be"
	Float8E4M3 ValueType = "f8e4m3" // without infinities, as e4m3fn of ml_dtypes; the largest is 448
	Float8E5M2 ValueType = "f8e5m2"
)

// Op is how a value is compared.
type Op uint8

// The comparisons. A NaN meets NotEqual and IsNaN only, as IEEE 754 says, and -0 equals 0. IsNaN and IsInf are for
// floats and need no value; IsInf is met by either infinity.
const (
	Equal Op = iota
	NotEqual
	Less
	LessOrEqual
	Greater
	GreaterOrEqual
	Between
	IsNaN
	IsInf
)

var opNames = [...]string{"==", "!=", "<", "<=", ">", ">=", "between", "NaN", "inf"}

// String returns the comparison as it is written in formulas.
func (o Op) String() string {
	if o > IsInf {
		return fmt.Sprintf("Op(%d)", uint8(o))
	}
	return opNames[o]
}

// Condition compares a value with a constant, which is written as a person would: 10, -1, 0x7f, 1.5e3, inf. A decimal
// that a float type cannot represent is rounded to the nearest value of the type; it is an error if the result is 0
// and the decimal is not.
type Condition struct {
	Op    Op
	Value string // the constant, for Between the lower bound; empty for IsNaN and IsInf
	High  string // the upper bound for Between, which includes both bounds; otherwise empty
}

// String returns the condition as it is written in formulas, without the name of the value.
func (c Condition) String() string {
	switch c.Op {
	case IsNaN, IsInf:
		return c.Op.String()
	case Between:
		return fmt.Sprintf("between %s and %s", c.Value, c.High)
	}
	return fmt.Sprintf("%v %s", c.Op, c.Value)
}

// Values says which values of an input are meant.
type Values struct {
	Type ValueType
	// Stride is the distance in bytes between the starts of neighbouring values; 0 means that they are packed. The
	// first value starts at the Offset of the call's options.
	Stride int64
	// Conditions must all be met, with one exception: several of Equal are alternatives, and a value needs to meet one
	// of them. So are several of Between, and IsNaN and IsInf. Conditions that no value can meet together are a
	// *failure.QueryError, as are constants that the type cannot hold.
	Conditions []Condition
}

// Bins says how a histogram divides values, by Width or by Number. Numbers are written as in a Condition. The zero
// value gives each value its own bin, for integers of 8 and 16 bits only.
type Bins struct {
	// Width is the width of a bin. One edge lies at 0, so that bin k holds k*Width <= v < (k+1)*Width.
	Width string
	// Number divides the range from Low to High, which must both be set, into this many bins. The width of integer bins
	// is rounded up to an integer, so there may be fewer. The last bin of floats includes High.
	Number int
	// Low and High are the lowest and the highest value that have a bin; empty means no limit.
	Low, High string
}
