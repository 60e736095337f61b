package key

import (
	"math"
	"slices"
)

// Fields of up to fieldMax bytes are scanned by masks, a block of records at a time. For each
// range of bytes that a shape's sets are made of there is a mask of the bytes in it, a bit
// each, which is what vectors are for. A set is the union of some ranges, or what is missing
// from it. A byte is in a range if, less its first, it is at most its length.
const (
	fieldMax  = 63  // so that a run always ends at a zero
	blockMax  = 128 // records
	itemsMax  = 8
	rangesMax = 16 // of all sets of a shape together, each once
	namesMax  = 32 // of ranges, in all items together
)

// masks is a shape prepared for that.
type masks struct {
	ranges []span // an even number
	steps  []step // one for each item
	begin  bool   // as in shape
	end    bool
	final  bool // a first try that fails has failed for good
	sure   bool
	from   int
	to     int
	again  bool // a try that fails takes with it the whole run that it began in
}

type span struct{ first, length uint8 }

// step is an item.
type step struct {
	ranges []uint8 // indexes of masks.ranges
	others uint64  // all ones if the ranges are what is missing from the set
	min    uint64
	max    uint64 // fieldMax or more if there is none
}

// masksOf returns nil if the shape has too many parts.
func masksOf(s *shape) *masks {
	if s == nil || len(s.items) > itemsMax {
		return nil
	}
	m := &masks{begin: s.begin, end: s.end, final: s.begin && s.sure, sure: s.sure, from: s.from, to: s.to}
	names := 0
	for i, it := range s.items {
		if it.min > fieldMax {
			return nil
		}
		t := step{min: uint64(it.min), max: uint64(min(it.max, fieldMax))}
		of := s.sets[it.set]
		ranges := spans(of)
		if missing := spans(of.not()); len(missing) < len(ranges) {
			ranges, t.others = missing, math.MaxUint64
		}
		for _, r := range ranges {
			at := slices.Index(m.ranges, r)
			if at < 0 {
				at, m.ranges = len(m.ranges), append(m.ranges, r)
			}
			t.ranges = append(t.ranges, uint8(at))
		}
		names += len(ranges)
		m.steps = append(m.steps, t)
		m.again = m.again || i == 0 && it.max == endless
	}
	if len(m.ranges)%2 != 0 {
		m.ranges = append(m.ranges, m.ranges[0])
	}
	if len(m.ranges) > rangesMax || names > namesMax {
		return nil
	}
	return m
}

// spans returns the ranges that a set is made of.
func spans(of set) (all []span) {
	for b := 0; b < 256; b++ {
		if !of.has(byte(b)) {
			continue
		}
		first := b
		for b < 255 && of.has(byte(b+1)) {
			b++
		}
		all = append(all, span{byte(first), byte(b - first)})
	}
	return all
}
