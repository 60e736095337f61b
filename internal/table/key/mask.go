package key

import (
	"math"
	"slices"
)

// Fields of up to fieldMax bytes are scanned with masks, a block of records at a time. The
// sets of a shape consist of ranges of byte values. For each range, vector instructions
// compute a mask with one bit for each byte of the field: set if the byte is in the range. The
// mask of a set is the union of the masks of some ranges, or the complement of that. A byte is
// in a range if byte - first <= length.
const (
	fieldMax  = 63  // leaves a zero bit at the top of a mask, so that every run ends
	blockMax  = 128 // records
	itemsMax  = 8
	rangesMax = 16 // distinct ranges of all sets of a shape
	namesMax  = 32 // references to ranges in all items
)

// masks is a shape prepared for scanning with masks.
type masks struct {
	ranges []span // an even number
	steps  []step // one for each item
	begin  bool   // as in shape
	end    bool
	final  bool // if the first attempt fails, there is no match
	sure   bool
	from   int
	to     int
	again  bool // if an attempt fails, so do those that begin later in the same run
}

type span struct{ first, length uint8 }

// step is an item of the shape.
type step struct {
	ranges []uint8 // indexes of masks.ranges
	others uint64  // all ones if the set is the complement of the ranges
	min    uint64
	max    uint64 // fieldMax or more for no limit
}

// masksOf returns the masks of a shape, or nil if the shape has too many parts.
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
		m.again = m.again || i == 0 && it.max == unbounded
	}
	if len(m.ranges)%2 != 0 {
		m.ranges = append(m.ranges, m.ranges[0])
	}
	if len(m.ranges) > rangesMax || names > namesMax {
		return nil
	}
	return m
}

// spans returns the ranges that a set consists of.
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
