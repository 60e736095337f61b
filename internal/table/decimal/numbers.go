// Package decimal reads numbers as they stand in text, compares them and adds them up
// without error.
//
// A number without an exponent is an exact decimal, whatever its length; one with an
// exponent is the float64 nearest to it. Numbers parses a batch's column in bulk into
// integers of a common scale, which nearly all numbers fit; Number is one number of any
// kind, and slow. What an answer says never depends on which way a number went.
package decimal

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/digits"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// ScaleMax is the largest scale that Numbers uses.
const ScaleMax = digits.ScaleMax

// Numbers are the numbers of one column of a batch. The zero Numbers is ready for Parse;
// one is kept for all batches, so that it knows what to expect.
type Numbers struct {
	// Scale: a Plain value is Mantissa * 10^-Scale. It grows with what is met, and holds for
	// what the last Parse has parsed.
	Scale int

	// Fixed keeps Scale as it is; decimals with more digits are then Odd.
	Fixed bool

	// Mantissa is the value of what is Plain, by record: below 2^62, either sign.
	Mantissa [records.Max]int64

	// Kinds says by record what the text was.
	Kinds [records.Max]Kind

	// AllPlain: all that was parsed is Plain. Then there is no need to look at Kinds.
	AllPlain bool

	// Decimals is the most digits behind the point, zeros too, of any exact decimal since the
	// start.
	Decimals int

	dirty bool // Kinds is not all Plain
	long  bool // many numbers are longer than a word
	most  int  // the most digits behind the point, of those up to ScaleMax, in this batch

	integers    digits.Func
	column      digits.Column
	scale       digits.Scale
	multipliers [16]uint64
	left        [records.Max]uint16 // what the words could not parse
}

// plainBits: mantissas are below 2^plainBits.
const plainBits = 62

// Parse parses the fields of the selected records. Before every field and behind it
// records.SlackBytes of text may be read.
//
// A batch whose decimals have more digits than Scale, and not more than ScaleMax, is parsed
// once more at their scale.
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

// parse parses at the scale as it is.
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

// longShare: where a third of the numbers are longer than a word, to parse these one by one
// takes longer than all of them in two words.
const longShare = 3

// kindOf parses any field, by digits where they are few enough to be Plain.
func (n *Numbers) kindOf(i uint16, field []byte) Kind {
	field = trim(field)
	if len(field) == 0 {
		return Missing
	}
	s := shapeOf(field)
	if !s.number {
		return Bad
	}
	if s.exponent {
		_, kind := Parse(field)
		return kind
	}
	n.Decimals = max(n.Decimals, s.decimals)
	if s.decimals <= ScaleMax {
		n.most = max(n.most, s.decimals)
	}
	if s.decimals > n.Scale || s.digits > smallDigits {
		return Odd
	}
	high, m := bits.Mul64(s.mantissa, tens[n.Scale-s.decimals])
	if high != 0 || m >= 1<<plainBits {
		return Odd
	}
	n.Mantissa[i] = int64(m ^ s.sign - s.sign)
	return Plain
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
