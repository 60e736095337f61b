package compare

import (
	"encoding/binary"
	"math"
	"strconv"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/question"
)

// typeNames are the names of all types, in both byte orders.
var typeNames = func() (names []string) {
	for _, t := range Types() {
		names = append(names, t.String())
	}
	return names
}()

// native is a condition on Go's own numbers; Go's operators define what is right.
type native struct {
	op          question.Op
	value, high uint64 // bits of the type's width
}

func (n native) fits(t Type, raw uint64) bool {
	type number struct {
		kind  kind
		width int
	}
	switch (number{t.kind, t.width}) {
	case number{signed, 1}:
		return holds(n.op, int8(raw), int8(n.value), int8(n.high))
	case number{unsigned, 1}:
		return holds(n.op, uint8(raw), uint8(n.value), uint8(n.high))
	case number{signed, 2}:
		return holds(n.op, int16(raw), int16(n.value), int16(n.high))
	case number{unsigned, 2}:
		return holds(n.op, uint16(raw), uint16(n.value), uint16(n.high))
	case number{signed, 4}:
		return holds(n.op, int32(raw), int32(n.value), int32(n.high))
	case number{unsigned, 4}:
		return holds(n.op, uint32(raw), uint32(n.value), uint32(n.high))
	case number{signed, 8}:
		return holds(n.op, int64(raw), int64(n.value), int64(n.high))
	case number{unsigned, 8}:
		return holds(n.op, raw, n.value, n.high)
	case number{float, 4}:
		return holds(n.op, math.Float32frombits(uint32(raw)),
			math.Float32frombits(uint32(n.value)), math.Float32frombits(uint32(n.high)))
	}
	return holds(n.op, t.Value(raw), t.Value(n.value), t.Value(n.high)) // see TestNarrowValues
}

func holds[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 |
	float64](op question.Op, v, value, high T) bool {
	switch op {
	case question.Equal:
		return v == value
	case question.NotEqual:
		return v != value
	case question.Less:
		return v < value
	case question.LessOrEqual:
		return v <= value
	case question.Greater:
		return v > value
	case question.GreaterOrEqual:
		return v >= value
	case question.Between:
		return value <= v && v <= high
	}
	if op == question.IsInf {
		return v == v && v-v != 0 // which integers never are
	}
	return v != v
}

// allFit reports whether a value satisfies the conditions, some kinds of which are alternatives.
func allFit(conds []native, t Type, raw uint64) bool {
	var asked, met [question.IsInf + 1]bool
	for _, c := range conds {
		kind := c.op
		if kind == question.IsInf {
			kind = question.IsNaN
		}
		fit := c.fits(t, raw)
		if kind != question.Equal && kind != question.Between && kind != question.IsNaN {
			if !fit {
				return false
			}
			continue
		}
		asked[kind], met[kind] = true, met[kind] || fit
	}
	return asked == met
}

// condition writes the native condition as a user would.
func (n native) condition(t Type) question.Condition {
	return question.Condition{Op: n.op, Value: t.text(n.value), High: t.text(n.high)}
}

// text writes a value as a user would.
func (t Type) text(raw uint64) string {
	switch t.kind {
	case unsigned:
		return strconv.FormatUint(raw, 10)
	case signed:
		unused := 64 - 8*t.width
		return strconv.FormatInt(int64(raw<<unused)>>unused, 10)
	}
	if t.width == 4 {
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(raw))), 'g', -1, 32)
	}
	return strconv.FormatFloat(t.Value(raw), 'g', -1, 64)
}

// put writes a value at the start of b.
func (t Type) put(b []byte, raw uint64) {
	var le [8]byte
	binary.LittleEndian.PutUint64(le[:], raw)
	for i := range t.width {
		if t.bigEndian {
			b[i] = le[t.width-1-i]
		} else {
			b[i] = le[i]
		}
	}
}

// get reads a value written by put.
func (t Type) get(b []byte) uint64 {
	var le [8]byte
	for i := range t.width {
		if t.bigEndian {
			le[t.width-1-i] = b[i]
		} else {
			le[i] = b[i]
		}
	}
	return binary.LittleEndian.Uint64(le[:])
}

// wanted searches value by value with Go's own operators.
func wanted(t Type, conds []native, b []byte, stride int) int {
	for i := 0; i+t.width <= len(b); i += stride {
		if allFit(conds, t, t.get(b[i:])) {
			return i
		}
	}
	return -1
}

func mustType(tb testing.TB, name string) Type {
	tb.Helper()
	t, err := ParseType(name)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// mustCompile compiles native conditions for one variant of the kernel.
func mustCompile(tb testing.TB, t Type, f searcher, conds ...native) *Predicate {
	tb.Helper()
	typed := make([]question.Condition, len(conds))
	for i, c := range conds {
		typed[i] = c.condition(t)
	}
	p, err := compile(t, typed, kernel.Variant[searcher]{Func: f})
	if err != nil {
		tb.Fatalf("%v %v: %v", t, typed, err)
	}
	return p
}

// edges returns the bits of the values around which comparisons of a type may go wrong.
func (t Type) edges() []uint64 {
	ends := []uint64{0, 1, 2, 10, t.maxRank() >> 1, t.signBit(), t.maxRank() - 1, t.maxRank()}
	ends = append(ends, t.maxRank()>>1-1, t.signBit()+1, 0x0102030405060708&t.maxRank())
	if !t.Float() {
		return ends
	}
	floats := []float64{1, 1.5, 2, math.Pi, math.Inf(1), math.NaN(), 1e-3, 12345678}
	largest, sign := t.bits(t.Largest()), t.signBit()
	ends = append(ends, largest, largest|sign, largest+2, (largest+2)|sign)
	for _, f := range floats {
		raw := t.maxRank() >> 1 // a NaN
		if f == f && t.Narrow() {
			raw = t.bits(t.narrowed(f))
		} else if f == f {
			raw = t.bits(f)
		}
		ends = append(ends, raw, raw^sign, raw+1, (raw-1)|sign)
	}
	return ends
}

// allowed reports whether Compile accepts the condition: the bounds of Between are in order, only
// floats are tested for NaN and infinities, and nothing is compared with NaN.
func (n native) allowed(t Type) bool {
	switch n.op {
	case question.Between:
		return native{question.LessOrEqual, n.high, 0}.fits(t, n.value)
	case question.IsNaN:
		return t.Float()
	case question.IsInf:
		return t.HasInf()
	}
	return native{question.Equal, n.value, 0}.fits(t, n.value)
}
