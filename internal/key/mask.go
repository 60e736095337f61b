package key

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/records"
)

// The vector forms look at a field of up to fieldMax bytes at once: for each set of a shape
// they make a mask of the bytes in it, a bit each, and the walk over items is arithmetic on
// the masks: how many bytes of a set come next is how many ones.
//
// A set is made of ranges of bytes, or of those that are missing from it. A byte is in a
// range if, less its first, it is at most its span.
const (
	fieldMax  = 63 // so that a run always ends at a zero
	itemsMax  = 8
	setsMax   = 4
	rangesMax = 16 // of all sets of a shape together
)

// masks is a shape prepared for that.
type masks struct {
	ranges [rangesMax]span // of the sets, one after the other
	behind [setsMax]int    // where the ranges of each set end
	others [setsMax]uint64 // all ones if the ranges are what is missing from the set
	sets   int
	steps  [itemsMax]step
	shape  *shape
}

type span struct{ first, length uint8 }

type step struct {
	set      uint8
	min, max uint8
}

// masksOf returns nil if the shape has too many parts.
func masksOf(s *shape) *masks {
	if s == nil || len(s.items) > itemsMax || len(s.sets) > setsMax {
		return nil
	}
	m := &masks{shape: s, sets: len(s.sets)}
	n := 0
	for i, of := range s.sets {
		ranges, not := spans(of), of.not()
		if missing := spans(not); len(missing) < len(ranges) {
			ranges, m.others[i] = missing, ^uint64(0)
		}
		if n+len(ranges) > rangesMax {
			return nil
		}
		n += copy(m.ranges[n:], ranges)
		m.behind[i] = n
	}
	for i, it := range s.items {
		if it.min > fieldMax {
			return nil
		}
		m.steps[i] = step{uint8(it.set), uint8(it.min), uint8(min(it.max, fieldMax))}
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

// find is shape.find for a field of length bytes, at most fieldMax, of whose bytes in[i]
// says which are in set i.
func (m *masks) find(in *[setsMax]uint64, length uint32) (from, to uint32, v verdict) {
	s := m.shape
	steps := m.steps[:min(len(s.items), itemsMax)]
	starts := uint64(1)
	if !s.begin {
		starts = in[steps[0].set%setsMax]
	}
	for starts != 0 {
		p := uint(bits.TrailingZeros64(starts))
		if from, to, fit := m.match(in, p, length); fit {
			return from, to, fits
		}
		switch {
		case !s.sure:
			return 0, 0, unsure
		case s.begin:
			return 0, 0, fails
		case s.items[0].max == endless:
			starts &= starts + 1<<p // the whole run
		default:
			starts &= starts - 1
		}
	}
	return 0, 0, fails
}

// match is shape.match, on masks.
func (m *masks) match(in *[setsMax]uint64, p uint, length uint32) (from, to uint32, ok bool) {
	s := m.shape
	var at [itemsMax + 1]uint8 // where each item begins
	for i := range min(len(s.items), itemsMax) {
		t := m.steps[i]
		at[i] = uint8(p)
		n := min(uint(bits.TrailingZeros64(^(in[t.set%setsMax] >> (p & 63)))), uint(t.max))
		if n < uint(t.min) {
			return 0, 0, false
		}
		p += n
		at[i+1] = uint8(p)
	}
	return uint32(at[s.from%(itemsMax+1)]), uint32(at[s.to%(itemsMax+1)]), !s.end || uint32(p) == length
}

// keep puts what was found in the field of record i where it belongs.
func keep(i uint16, f records.Span, from, to uint32, out records.Column, kept records.Selection) records.Selection {
	if out != nil {
		out[i] = records.Span{Off: f.Off + from, Len: to - from}
	}
	return append(kept, i)
}
