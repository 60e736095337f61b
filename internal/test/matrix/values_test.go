package matrix

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/question"
)

// valueTypes are the types of values, with the number of fraction bits of the narrow floats.
// TestEveryTypeIsAsked compares them with the library's.
var valueTypes = map[string]valueType{
	"i8": {kind: 'i', width: 1}, "u8": {kind: 'u', width: 1}, "i16": {kind: 'i', width: 2}, "u16": {kind: 'u', width: 2},
	"i32": {kind: 'i', width: 4}, "u32": {kind: 'u', width: 4}, "i64": {kind: 'i', width: 8}, "u64": {kind: 'u', width: 8},
	"f32": {kind: 'f', width: 4}, "f64": {kind: 'f', width: 8},
	"f16": {kind: 'f', width: 2, fraction: 10}, "bf16": {kind: 'f', width: 2, fraction: 7},
	"f8e4m3": {kind: 'f', width: 1, fraction: 3}, "f8e5m2": {kind: 'f', width: 1, fraction: 2},
}

type valueType struct {
	kind     byte
	width    int
	big      bool // byte order
	fraction int  // 0 for all but narrow floats
}

// precision returns the bits of the float as which a number is parsed and formatted.
func precision(width int) int {
	if width == 4 {
		return 32
	}
	return 64
}

// narrow returns the narrow float with these bits, by its definition.
func (t valueType) narrow(bits uint64) float64 {
	sign, exponentBits := 1.0, 8*t.width-1-t.fraction
	if bits>>(8*t.width-1) != 0 {
		sign = -1
	}
	most := 1<<exponentBits - 1
	fraction, exponent := int(bits&(1<<t.fraction-1)), int(bits>>t.fraction)&most
	switch finite := t.fraction == 3; { // f8e4m3 has no infinities
	case exponent == most && finite && fraction == 7, exponent == most && !finite && fraction != 0:
		return math.NaN()
	case exponent == most && !finite:
		return sign * math.Inf(1)
	case exponent == 0:
		return sign * math.Ldexp(float64(fraction), 2-1<<(exponentBits-1)-t.fraction)
	}
	return sign * math.Ldexp(float64(fraction+1<<t.fraction), exponent+1-1<<(exponentBits-1)-t.fraction)
}

// nearest returns the value of a float type nearest to a printed number, which is never in the middle.
func (t valueType) nearest(text string) (float64, error) {
	f, err := strconv.ParseFloat(text, precision(t.width))
	if t.fraction == 0 || err != nil {
		return f, err
	}
	best := math.Inf(1)
	for bits := range uint64(1) << (8*t.width - 1) {
		if v := t.narrow(bits); v == math.Abs(f) || math.Abs(v-math.Abs(f)) < math.Abs(best-math.Abs(f)) {
			best = v
		}
	}
	return math.Copysign(best, f), nil
}

// column says where values are, and which of them are asked for.
type column struct {
	valueType
	name       string
	stride     int64 // as in the query; 0 means the width
	conditions []question.Condition
	fits       []func(value) bool
	parts      []string
}

// value is a number of one of the types. It is in i, u or f, by kind.
type value struct {
	kind   byte
	i      int64
	u      uint64
	f      float64
	beyond bool // an edge above all values
}

func (v value) compare(o value) int {
	if o.beyond {
		return -1
	}
	switch v.kind {
	case 'i':
		return cmp.Compare(v.i, o.i)
	case 'u':
		return cmp.Compare(v.u, o.u)
	}
	if v.f == o.f { // zeros of either sign are equal
		return 0
	}
	return cmp.Compare(v.f, o.f)
}

// text returns the value as a user writes it.
func (v value) text(width int) string {
	switch v.kind {
	case 'i':
		return strconv.FormatInt(v.i, 10)
	case 'u':
		return strconv.FormatUint(v.u, 10)
	}
	return strconv.FormatFloat(v.f, 'g', -1, precision(width))
}

func (t valueType) order() binary.ByteOrder {
	if t.big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func (t valueType) decode(b []byte) value {
	var bits uint64
	switch t.width {
	case 1:
		bits = uint64(b[0])
	case 2:
		bits = uint64(t.order().Uint16(b))
	case 4:
		bits = uint64(t.order().Uint32(b))
	case 8:
		bits = t.order().Uint64(b)
	}
	switch {
	case t.kind == 'u':
		return value{kind: 'u', u: bits}
	case t.kind == 'i':
		shift := 64 - 8*t.width
		return value{kind: 'i', i: int64(bits<<shift) >> shift}
	case t.fraction > 0:
		return value{kind: 'f', f: t.narrow(bits)}
	case t.width == 4:
		return value{kind: 'f', f: float64(math.Float32frombits(uint32(bits)))}
	}
	return value{kind: 'f', f: math.Float64frombits(bits)}
}

// randomBits returns the bytes of a value: often a small one, or one at an edge of the type.
func (t valueType) randomBits(r *rand.Rand) []byte {
	b := make([]byte, 8)
	switch {
	case chance(r, 5):
		return randomBytes(r, t.width, "\x00\x01\x7f\x80\xff")
	case t.kind != 'f':
		binary.LittleEndian.PutUint64(b, uint64(int64(r.IntN(12)-6)))
	case t.fraction > 0:
		binary.LittleEndian.PutUint64(b, pick(r, 0, 1, uint64(r.IntN(6)), r.Uint64())<<pick(r, 0, t.fraction)|pick[uint64](r, 0, 1<<(8*t.width-1)))
	case t.width == 4:
		f := pick(r, 0.7, 0.1, 1, -1, 0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1e-45, 3.4e38, float64(r.IntN(50)-25)/8)
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(f)))
	default:
		f := pick(r, 0.7, 0.1, 1, -1, 0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, 1.7e308, float64(r.IntN(50)-25)/8)
		binary.LittleEndian.PutUint64(b, math.Float64bits(f))
	}
	b = b[:t.width]
	if t.big {
		for i, k := 0, len(b)-1; i < k; i, k = i+1, k-1 {
			b[i], b[k] = b[k], b[i]
		}
	}
	return b
}

// opNames are the comparisons and their meaning. TestEveryOpIsAsked compares them with the
// library's.
var opNames = map[question.Op]func(order int, nan bool) bool{
	question.Equal:          func(order int, nan bool) bool { return order == 0 && !nan },
	question.NotEqual:       func(order int, nan bool) bool { return order != 0 || nan },
	question.Less:           func(order int, nan bool) bool { return order < 0 && !nan },
	question.LessOrEqual:    func(order int, nan bool) bool { return order <= 0 && !nan },
	question.Greater:        func(order int, nan bool) bool { return order > 0 && !nan },
	question.GreaterOrEqual: func(order int, nan bool) bool { return order >= 0 && !nan },
}

// randomColumn returns a type, a stride and at most this many conditions.
func randomColumn(r *rand.Rand, conditions int) column {
	name := pick(r, thresh.ValueTypes()...)
	c := column{valueType: valueTypes[name], name: name}
	if order := pick(r, "", "le", "be"); order != "" {
		c.name, c.big = name+order, order == "be"
	}
	if chance(r, 3) {
		c.stride = 1 + r.Int64N(20)
	}
	for range 6 {
		c.parts = append(c.parts, string(c.randomBits(r)))
	}
	c.parts = append(c.parts, strings.Repeat("\x00", 8))
	for range conditions {
		c.condition(r)
	}
	if len(c.conditions) == 2 && alternative[c.conditions[0].Op] > 0 && alternative[c.conditions[0].Op] == alternative[c.conditions[1].Op] {
		first, second := c.fits[0], c.fits[1]
		c.fits = []func(value) bool{func(v value) bool { return first(v) || second(v) }}
	}
	return c
}

// alternative groups the conditions that are alternatives: of those in a group, one must hold. All
// other conditions must hold.
var alternative = map[question.Op]int{question.Equal: 1, question.Between: 2, question.IsNaN: 3, question.IsInf: 3}

// nothing reports whether no value meets the conditions. It only tries the bounds, their neighbours
// and the limits of the type. A query that nothing can match may be rejected.
func (c *column) nothing() bool {
	r := rand.New(rand.NewPCG(0, 0))
	for i := range 2000 {
		b := c.randomBits(r)
		if i < len(c.parts) && len(c.parts[i]) >= c.width {
			b = []byte(c.parts[i][:c.width])
		} else if chance(r, 2) {
			b = []byte(pick(r, c.parts...))[:c.width]
			b[pick(r, 0, c.width-1)] += pick[byte](r, 1, 0xff)
		}
		if v := c.decode(b); !slices.ContainsFunc(c.fits, func(fits func(value) bool) bool { return !fits(v) }) {
			return false
		}
	}
	return true
}

// condition adds a condition on values that occur in the parts.
func (c *column) condition(r *rand.Rand) {
	bound := func() value {
		for {
			v := c.decode([]byte(pick(r, c.parts...)))
			if v.kind != 'f' || !math.IsNaN(v.f) {
				return v
			}
		}
	}
	low, high := bound(), bound()
	switch {
	case c.kind == 'f' && chance(r, 6):
		c.conditions = append(c.conditions, question.Condition{Op: question.IsNaN})
		c.fits = append(c.fits, func(v value) bool { return math.IsNaN(v.f) })
	case c.kind == 'f' && c.fraction != 3 && chance(r, 8):
		c.conditions = append(c.conditions, question.Condition{Op: question.IsInf})
		c.fits = append(c.fits, func(v value) bool { return math.IsInf(v.f, 0) })
	case chance(r, 6):
		if low.compare(high) > 0 {
			low, high = high, low
		}
		c.conditions = append(c.conditions, question.Condition{Op: question.Between, Value: low.text(c.width), High: high.text(c.width)})
		c.fits = append(c.fits, func(v value) bool { return !math.IsNaN(v.f) && v.compare(low) >= 0 && v.compare(high) <= 0 })
	default:
		op := pick(r, question.Equal, question.NotEqual, question.Less, question.LessOrEqual, question.Greater, question.GreaterOrEqual)
		fits := opNames[op]
		c.conditions = append(c.conditions, question.Condition{Op: op, Value: low.text(c.width)})
		c.fits = append(c.fits, func(v value) bool { return fits(v.compare(low), math.IsNaN(v.f)) })
	}
}

func (c *column) String() string {
	return fmt.Sprintf("%s every %d %v", c.name, c.step(), c.conditions)
}

// flags returns the command's flags; nil if one would be repeated.
func (c *column) flags() []string {
	flags := []string{"--type=" + c.name}
	if c.stride > 0 {
		flags = append(flags, fmt.Sprintf("--stride=%d", c.stride))
	}
	seen := map[question.Op]bool{}
	for _, k := range c.conditions {
		if seen[k.Op] {
			return nil
		}
		seen[k.Op] = true
		switch k.Op {
		case question.IsNaN:
			flags = append(flags, "--nan")
		case question.IsInf:
			flags = append(flags, "--inf")
		case question.Between:
			flags = append(flags, "--between="+k.Value+","+k.High)
		default:
			flags = append(flags, "--"+opFlags[k.Op]+"="+k.Value)
		}
	}
	return flags
}

// opFlags are the command's flags for the comparisons.
var opFlags = map[question.Op]string{question.Equal: "eq", question.NotEqual: "ne", question.Less: "lt", question.LessOrEqual: "le",
	question.Greater: "gt", question.GreaterOrEqual: "ge"}

func (c *column) step() int {
	if c.stride == 0 {
		return c.width
	}
	return int(c.stride)
}

// each calls f with the matching values of a range and their offsets.
func (c *column) each(span []byte, f func(at int, v value)) {
values:
	for at := 0; at+c.width <= len(span); at += c.step() {
		v := c.decode(span[at : at+c.width])
		for _, fits := range c.fits {
			if !fits(v) {
				continue values
			}
		}
		f(at, v)
	}
}

// trailing returns how many bytes at the end of a range belong to no whole value.
func (c *column) trailing(n int) int64 {
	if c.step() > c.width {
		return -1 // not defined: bytes may be in a gap or in a value that is cut short
	}
	for at := 0; ; at += c.step() {
		if at+c.width > n {
			if at == 0 {
				return int64(n)
			}
			return int64(n - (at - c.step() + c.width))
		}
	}
}

// values searches for values that meet one or two conditions.
func values(r *rand.Rand) (asked, error) {
	c := randomColumn(r, 1+r.IntN(2))
	query, err := thresh.Values(c.asked())
	if err != nil && c.nothing() {
		return values(r)
	}
	return found(asked{name: c.String(), query: query, flags: c.flags(), parts: c.parts, trailing: c.trailing, places: func(span []byte) (hits []answer.Hit) {
		c.each(span, func(at int, _ value) { hits = append(hits, answer.Hit{Off: int64(at), Len: int64(c.width)}) })
		return hits
	}}, err)
}

// asked returns the column as the library wants it.
func (c *column) asked() question.Values {
	return question.Values{Type: question.ValueType(c.name), Stride: c.stride, Conditions: c.conditions}
}
