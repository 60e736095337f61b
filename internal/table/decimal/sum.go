package decimal

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/stats/exact"
	"github.com/thresh-dev/thresh/internal/table/encoded"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Sum is an exact sum of numbers. The zero Sum is 0. Its value depends only on the numbers that
// were added, never on their order or on how they were split into partial sums.
//
// Decimals are added as 128-bit integers of a common scale. Numbers that do not fit go to the
// wide part, which has no bounds.
type Sum struct {
	high  int64
	low   uint64
	scale int // of high and low
	wide  *wide
}

// wide holds the part of a sum that does not fit in 128 bits.
type wide struct {
	mantissa big.Int // of decimals
	scale    int
	floats   exact.Float
	anyFloat bool
	infinite [2]bool // +Inf and -Inf were added
}

// AddPlain adds a 128-bit integer in two's complement, times 10^-scale.
func (s *Sum) AddPlain(high int64, low uint64, scale int) {
	if scale != s.scale && !s.align(&high, &low, scale) {
		s.widen().addDecimal(bigOf(high, low), scale)
		return
	}
	sumLow, carry := bits.Add64(s.low, low, 0)
	sumHigh := int64(uint64(s.high) + uint64(high) + carry)
	if (s.high^sumHigh)&(high^sumHigh) < 0 { // overflow: both addends have the other sign
		s.widen().addDecimal(bigOf(high, low), s.scale)
		return
	}
	s.high, s.low = sumHigh, sumLow
}

// align brings the sum and an integer to the larger of their scales. It returns false, and does
// not change the integer, if the integer does not fit at the scale of the sum.
func (s *Sum) align(high *int64, low *uint64, scale int) bool {
	if scale < s.scale {
		return scaleUp(high, low, s.scale-scale)
	}
	h, l := s.high, s.low
	if !scaleUp(&h, &l, scale-s.scale) {
		s.flush()
		h, l = 0, 0
	}
	s.high, s.low, s.scale = h, l, scale
	return true
}

// scaleUp multiplies a 128-bit integer by a power of ten, and reports whether the product fits.
func scaleUp(high *int64, low *uint64, digits int) bool {
	if digits > smallDigits {
		return *high == 0 && *low == 0
	}
	h, l := uint64(*high), *low
	sign := uint64(*high >> 63)
	l, carry := bits.Add64(l^sign, sign&1, 0)
	h = h ^ sign + carry
	over, h1 := bits.Mul64(h, tens[digits])
	h2, l1 := bits.Mul64(l, tens[digits])
	h1, carry = bits.Add64(h1, h2, 0)
	if over != 0 || carry != 0 || int64(h1) < 0 {
		return false
	}
	l1, carry = bits.Add64(l1^sign, sign&1, 0)
	*high, *low = int64(h1^sign+carry), l1
	return true
}

// Add adds n.
func (s *Sum) Add(n Number) {
	switch {
	case n.float:
		w := s.widen()
		if w.anyFloat = true; n.infinite() {
			w.infinite[n.infinity()] = true
		} else {
			w.floats.Add(n.asFloat())
		}
	case n.large != nil || n.scale > smallDigits:
		s.widen().addDecimal(n.bigMantissa(), int(n.scale))
	default:
		s.AddPlain(n.mantissa>>63, uint64(n.mantissa), int(n.scale))
	}
}

// Merge adds the sum o, and does not change o.
func (s *Sum) Merge(o *Sum) {
	s.AddPlain(o.high, o.low, o.scale)
	if o.wide == nil {
		return
	}
	w := s.widen()
	w.addDecimal(&o.wide.mantissa, o.wide.scale)
	if o.wide.anyFloat {
		w.floats.Merge(&o.wide.floats)
		w.anyFloat = true
		for i, any := range o.wide.infinite {
			w.infinite[i] = w.infinite[i] || any
		}
	}
}

func (s *Sum) widen() *wide {
	if s.wide == nil {
		s.wide = new(wide)
	}
	return s.wide
}

// flush moves the 128-bit part to the wide one.
func (s *Sum) flush() {
	s.widen().addDecimal(bigOf(s.high, s.low), s.scale)
	s.high, s.low = 0, 0
}

// addDecimal adds m * 10^-scale, and does not change m.
func (w *wide) addDecimal(m *big.Int, scale int) {
	switch {
	case m.Sign() == 0:
		return
	case scale < w.scale:
		m = new(big.Int).Mul(m, powerOfTen(w.scale-scale))
	case scale > w.scale:
		w.mantissa.Mul(&w.mantissa, powerOfTen(scale-w.scale))
		w.scale = scale
	}
	w.mantissa.Add(&w.mantissa, m)
}

func bigOf(high int64, low uint64) *big.Int {
	m := big.NewInt(high)
	return m.Lsh(m, 64).Add(m, new(big.Int).SetUint64(low))
}

// decimals returns the sum of the exact decimals.
func (s *Sum) decimals() Number {
	if s.wide == nil || s.wide.mantissa.Sign() == 0 {
		if s.high == int64(s.low)>>63 {
			return FromPlain(int64(s.low), s.scale)
		}
		return FromBig(bigOf(s.high, s.low), s.scale)
	}
	all := wide{scale: s.wide.scale}
	all.mantissa.Set(&s.wide.mantissa)
	all.addDecimal(bigOf(s.high, s.low), s.scale)
	return FromBig(&all.mantissa, all.scale)
}

func (s *Sum) anyFloat() bool { return s.wide != nil && s.wide.anyFloat }

// infinity returns which infinity a number is, as an index of wide.infinite.
func (a Number) infinity() int {
	if a.asFloat() < 0 {
		return 1
	}
	return 0
}

// special returns the sum if infinities were added: one of them, or NaN if both were.
func (s *Sum) special() (f float64, ok bool) {
	if s.wide == nil {
		return 0, false
	}
	switch s.wide.infinite {
	case [2]bool{true, false}:
		return math.Inf(1), true
	case [2]bool{false, true}:
		return math.Inf(-1), true
	case [2]bool{true, true}:
		return math.NaN(), true
	}
	return 0, false
}

// Number returns the sum: an exact decimal if only exact decimals were added; otherwise the
// float64 nearest to the exact sum, or an infinity beyond the range of float64. The sum of both infinities is NaN.
func (s *Sum) Number() Number {
	if f, ok := s.special(); ok {
		return FromFloat(f)
	}
	if !s.anyFloat() {
		return s.decimals()
	}
	if s.decimals().sign() == 0 {
		return FromFloat(s.wide.floats.Round())
	}
	return FromFloat(roundRat(s.rat()))
}

func (a Number) sign() int {
	if a.large != nil {
		return a.large.Sign()
	}
	return int(a.mantissa>>63 | int64(uint64(-a.mantissa)>>63))
}

// rat returns the exact sum.
func (s *Sum) rat() *big.Rat {
	sum := s.decimals().Rat()
	if s.anyFloat() {
		floats, _ := s.wide.floats.Rat() // finite: infinities are kept apart
		sum.Add(sum, floats)
	}
	return sum
}

func roundRat(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}

// exactMax is the bound up to which float64 holds every integer. The quotient of two of these is
// correctly rounded.
var exactMax = threshold.New("decimal: sums that are divided as float64", 1<<53, 1)

// Mean returns the float64 nearest to the sum divided by n, and NaN if n is 0.
func (s *Sum) Mean(n int64) float64 {
	if n == 0 {
		return math.NaN()
	}
	if f, ok := s.special(); ok {
		return f
	}
	exactMax := uint64(exactMax.Get())
	if s.wide == nil && s.high == int64(s.low)>>63 && magnitude(int64(s.low)) <= exactMax {
		high, divisor := bits.Mul64(magnitude(n), tens[s.scale])
		if high == 0 && divisor <= exactMax && n > 0 {
			return float64(int64(s.low)) / float64(divisor)
		}
	}
	sum := s.rat()
	return roundRat(sum.Quo(sum, new(big.Rat).SetInt64(n))) + 0
}

const (
	hasWide = 1 << iota
	hasFloat
	negativeWide
	negativeFloat
	hasInfinity
	hasNegativeInfinity
	flagsEnd
)

// unitBits: every float64 is a multiple of 2^-unitBits, the unit of the encoding.
const unitBits = 1074

// AppendBinary appends an encoding of the sum, for Decode.
func (s *Sum) AppendBinary(b []byte) []byte {
	var flags byte
	var units *big.Int
	if s.wide != nil {
		flags |= hasWide
		if s.wide.mantissa.Sign() < 0 {
			flags |= negativeWide
		}
		for i, flag := range [...]byte{hasInfinity, hasNegativeInfinity} {
			if s.wide.infinite[i] {
				flags |= flag
			}
		}
	}
	if s.anyFloat() {
		floats, _ := s.wide.floats.Rat()
		// The denominator is a power of two.
		units = new(big.Int).Lsh(floats.Num(), uint(unitBits-(floats.Denom().BitLen()-1)))
		flags |= hasFloat
		if units.Sign() < 0 {
			flags |= negativeFloat
		}
	}
	b = append(b, flags)
	b = binary.AppendUvarint(b, uint64(s.scale))
	b = binary.AppendVarint(b, s.high)
	b = binary.AppendUvarint(b, s.low)
	if s.wide != nil {
		b = binary.AppendUvarint(b, uint64(s.wide.scale))
		b = encoded.AppendBytes(b, s.wide.mantissa.Bytes())
	}
	if units != nil {
		b = encoded.AppendBytes(b, units.Bytes())
	}
	return b
}

// Decode sets s to the sum that AppendBinary encoded, and returns the bytes after it.
func (s *Sum) Decode(b []byte) (rest []byte, err error) {
	r := encoded.Reader{Rest: b}
	flags := r.Byte()
	*s = Sum{scale: int(r.UvarintTo(scaleMax)), high: r.Varint(), low: r.Uvarint()}
	if s.scale > smallDigits || flags >= flagsEnd {
		r.Bad = true
	}
	if flags&hasWide != 0 {
		s.wide = &wide{scale: int(r.UvarintTo(scaleMax))}
		s.wide.mantissa.SetBytes(r.Bytes())
		if flags&negativeWide != 0 {
			s.wide.mantissa.Neg(&s.wide.mantissa)
		}
	}
	if flags&hasFloat != 0 {
		units := new(big.Int).SetBytes(r.Bytes())
		if s.wide == nil || units.BitLen() > unitsMaxBits {
			r.Bad = true
		} else {
			s.wide.anyFloat = true
			addUnits(&s.wide.floats, units, flags&negativeFloat != 0)
			s.wide.infinite = [2]bool{flags&hasInfinity != 0, flags&hasNegativeInfinity != 0}
		}
	}
	if r.Bad {
		*s = Sum{}
		return nil, fmt.Errorf("decode a sum: %w", encoded.ErrCorrupt)
	}
	return r.Rest, nil
}

// unitsMaxBits: the largest float64 has 2098 bits in units, 2^62 of them 2160.
const unitsMaxBits = 2160

// addUnits adds units * 2^-unitBits. It adds the units in pieces of 32 bits, which are exact
// float64. Pieces beyond the range of float64 are added scaled down and then doubled.
func addUnits(f *exact.Float, units *big.Int, negative bool) {
	const pieceBits, exponentMax = 32, 900
	piece, mask := new(big.Int), big.NewInt(1<<pieceBits-1)
	for low := 0; low < units.BitLen(); low += pieceBits {
		value := float64(piece.And(piece.Rsh(units, uint(low)), mask).Uint64())
		if negative {
			value = -value
		}
		exponent := low - unitBits
		var part exact.Float
		part.Add(math.Ldexp(value, min(exponent, exponentMax)))
		for ; exponent > exponentMax; exponent-- {
			double := part
			part.Merge(&double)
		}
		f.Merge(&part)
	}
}
