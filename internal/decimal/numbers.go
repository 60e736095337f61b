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

	"github.com/thresh-dev/thresh/internal/records"
)

// ScaleMax is the largest scale that Numbers uses.
const ScaleMax = 6

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

	left        [records.Max]uint16 // what the words could not parse
	multipliers [16]uint64
}

// plainBits: mantissas are below 2^plainBits.
const plainBits = 62

// Parse parses the fields of the selected records. Before every field and behind it
// records.SlackBytes of text may be read.
//
// A batch whose decimals have more digits than Scale, and not more than ScaleMax, is parsed
// once more at their scale.
func (n *Numbers) Parse(text []byte, column records.Column, sel records.Selection) {
	if n.multipliers[0] == 0 {
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
	parse := n.parseShort
	if n.long {
		parse = n.parseLong
	}
	longs := 0
	for _, i := range n.left[:parse(text, column, sel)] {
		field := column[i].Of(text)
		if len(field) > wordBytes {
			longs++
		}
		kind := n.kindOf(i, field)
		n.Kinds[i] = kind
		n.dirty = n.dirty || kind != Plain
	}
	n.long = n.long || longs > len(sel)/longShare
}

// longShare: parsing a number the slow way takes so many times as long as the difference
// between the two fast ones.
const longShare = 16

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
