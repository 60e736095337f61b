// Package decimal parses, compares and adds up numbers exactly.
//
// A number without an exponent is an exact decimal of any length; a number with an exponent is
// the nearest float64. Numbers parses a column of a batch in bulk into integers of a common
// scale, which nearly all numbers fit. Number holds any number, and is slow. An answer never
// depends on which of the two ways a number took.
package decimal

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/digits"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// ScaleMax is the largest scale that Numbers uses.
const ScaleMax = digits.ScaleMax

// Numbers holds the numbers of one column of a batch. The zero Numbers is ready for Parse. Use
// the same one for all batches: it adapts to the numbers it has seen.
type Numbers struct {
	// Mantissa holds the Plain values by record. Their magnitude is below 2^62. It comes first: it is written in
	// vectors, which should not cross lines of the cache.
	Mantissa [records.Max]int64

	words [partMax]int64 // of the records that are parsed at once, if they are not neighbours
	spans [partMax]records.Span

	// Kinds holds the kind of each record's text.
	Kinds [records.Max]Kind

	// Scale: a Plain value is Mantissa * 10^-Scale. Unless Fixed, Scale grows when numbers with
	// more decimals come. It applies to the results of the last Parse.
	Scale int

	// Fixed keeps Scale constant. Decimals with more digits are then Irregular.
	Fixed bool

	// AllPlain is true if all parsed fields are Plain. Then Kinds need not be checked.
	AllPlain bool

	// Decimals is the largest number of digits after the point, including trailing zeros, of any
	// exact decimal so far.
	Decimals int

	wide *wideNumbers // nil until there is one

	dirty bool // Kinds is not all Plain
	long  bool // many numbers are longer than a word
	most  int  // in this batch: most digits after the point, not counting numbers beyond ScaleMax

	integers    digits.Func
	scale       digits.Scale
	multipliers [16]uint64
	left        [records.Max]uint16 // records that the fast paths could not parse
}

// partMax is how many numbers go to the kernel at once: their words and spans stay in the L1 cache.
const partMax = 256

// plainBits: the magnitude of mantissas is below 2^plainBits.
const plainBits = 62

// Parse parses the fields of the selected records. It may read records.SlackBytes of text before
// and after each field.
//
// If decimals of the batch have more digits than Scale, but at most ScaleMax, Parse parses the
// batch a second time at their scale.
func (n *Numbers) Parse(text []byte, column records.Column, sel records.Selection) {
	if n.integers == nil {
		n.integers = digits.Best().Func
		n.setScale(n.Scale)
	}
	for {
		n.parse(text, column, sel)
		if n.Fixed || n.most <= n.Scale {
			break
		}
		n.setScale(n.most)
	}
	n.AllPlain = !n.dirty
}

// parse parses at the current scale.
func (n *Numbers) parse(text []byte, column records.Column, sel records.Selection) {
	if n.dirty {
		clear(n.Kinds[:])
		n.dirty = false
	}
	n.most = 0
	var left, longs int
	if n.long {
		left, longs = n.parseLong(text, column, sel)
	} else {
		left = n.parseShort(text, column, sel)
	}
	for _, i := range n.left[:left] {
		field := column[i].Of(text)
		if !n.long && len(field) > wordBytes {
			longs++
		}
		kind := Missing // by far the commonest
		if len(field) > 0 {
			kind = n.kindOf(i, field)
		}
		n.Kinds[i] = kind
		n.dirty = n.dirty || kind != Plain
	}
	n.long = longs > len(sel)/longShare
}

// longShare: if more than 1/longShare of the numbers are longer than a word, it is faster to
// parse all numbers as two words than to parse the long ones one by one.
const longShare = 3

// kindOf parses any field. It stores the mantissa if the field is Plain.
func (n *Numbers) kindOf(i uint16, field []byte) Kind {
	if n.wide != nil {
		n.wide.is[i] = false
	}
	field = trim(field)
	s := shapeOf(field)
	if !s.number {
		return kindOfInfinity(field)
	}
	if s.exponent {
		_, kind := Parse(field)
		return kind
	}
	n.Decimals = max(n.Decimals, s.decimals)
	if s.decimals <= ScaleMax {
		n.most = max(n.most, s.decimals)
	}
	if s.decimals > n.Scale || s.digits > wordDigits {
		return Irregular
	}
	high, m := bits.Mul64(s.mantissa, tens[n.Scale-s.decimals])
	if high != 0 || m >= 1<<plainBits || s.digits > smallDigits {
		n.setWide(i, high, m, s.sign)
		return Irregular
	}
	n.Mantissa[i] = int64(m ^ s.sign - s.sign)
	return Plain
}

// wordDigits is the number of digits that always fit in a uint64.
const wordDigits = 19

// wideNumbers are numbers that are Irregular, but integers of the common scale that fit in two words.
type wideNumbers struct {
	is        [records.Max]bool
	high, low [records.Max]uint64 // in two's complement
}

func (n *Numbers) setWide(i uint16, high, low, sign uint64) {
	if n.wide == nil {
		n.wide = new(wideNumbers)
	}
	low, carry := bits.Add64(low^sign, sign&1, 0)
	n.wide.is[i], n.wide.high[i], n.wide.low[i] = true, high^sign+carry, low
}

// Wide returns the two words of an Irregular number, in two's complement, if it is an integer of the common scale that
// is below 10^25. ok is false otherwise, as for most.
func (n *Numbers) Wide(i uint16) (high, low uint64, ok bool) {
	if n.wide == nil || !n.wide.is[i] {
		return 0, 0, false
	}
	return n.wide.high[i], n.wide.low[i], true
}

func trim(field []byte) []byte {
	for len(field) > 0 && (field[0] == ' ' || field[0] == '\t') {
		field = field[1:]
	}
	for len(field) > 0 && (field[len(field)-1] == ' ' || field[len(field)-1] == '\t') {
		field = field[:len(field)-1]
	}
	return field
}
