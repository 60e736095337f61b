package key

import (
	"math/bits"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/records"
)

// Fields of up to fieldMax bytes are scanned by masks, a block of records at a time. For each
// set of a shape there is a mask of the bytes in it, a bit each, which is what vectors are
// for. How many bytes of a set come next is then how many ones, and each item is a loop
// over the block, without branches, in which all fields go on by what the item takes.
//
// A set is made of ranges of bytes, or of those that are missing from it. A byte is in a
// range if, less its first, it is at most its length.
const (
	fieldMax  = 63  // so that a run always ends at a zero
	blockMax  = 128 // records
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
	var at [itemsMax + 1]uint // where each item begins
	at[0] = p
	for i := range min(len(s.items), itemsMax) {
		t := m.steps[i]
		n := t.run(in[t.set%setsMax], p)
		if n < uint(t.min) {
			return 0, 0, false
		}
		p += n
		at[i+1] = p
	}
	return uint32(at[s.from]), uint32(at[s.to]), !s.end || uint32(p) == length
}

// run is how many bytes the step takes at p: as many as there are ones, which adding one
// turns into zeros. Counting them is quicker than looking for the first zero, since the
// instruction for the latter that all processors have is slow.
func (t step) run(in uint64, p uint) uint {
	in >>= p & 63
	return min(uint(bits.OnesCount64(in&^(in+1))), uint(t.max))
}

// block is some records on their way through a shape's items.
type block struct {
	records  records.Selection
	at       [blockMax]uint32 // where their fields begin
	length   [blockMax]uint32
	from, to [blockMax]uint8 // where the answer does, and ends
	failed   [blockMax]uint8 // not 0 if an item took too little
	in       [setsMax][blockMax]uint64
}

// scanMasks is scan by masks. Where the first place to begin at is not the right one, which
// is rare, it looks at the others one field at a time.
func (p *Finder) scanMasks(text []byte, column records.Column, sel records.Selection,
	out records.Column, kept records.Selection) records.Selection {
	b := &p.block
	for len(sel) > 0 {
		b.records = sel[:min(len(sel), blockMax)]
		sel = sel[len(b.records):]
		b.fill(p.Pattern, text, column)
		b.walk(p.masks)
		kept = b.keep(p.Pattern, text, out, kept)
	}
	return kept
}

// fill makes the masks.
func (b *block) fill(p *Pattern, text []byte, column records.Column) {
	for j, i := range b.records {
		b.at[j%blockMax], b.length[j%blockMax] = column[i].Off, column[i].Len
	}
	base, first := unsafe.Pointer(unsafe.SliceData(text)), 0
	for k := range p.masks.sets {
		behind := p.masks.behind[k]
		p.mark.Func(base, b, p.masks.ranges[first:behind], p.masks.others[k], &b.in[k])
		first = behind
	}
}

// walk lets each item take all it can, from the first place on where the first one can.
func (b *block) walk(m *masks) {
	s := m.shape
	items, from, to := min(len(s.items), itemsMax), s.from&(2*itemsMax-1), s.to&(2*itemsMax-1)
	steps := m.steps[:items]
	first := &b.in[m.steps[0].set%setsMax]
	for j := range b.records {
		j &= blockMax - 1          // it is less: now the compiler knows
		var at [2 * itemsMax]uint8 // where each item begins
		pos, failed := uint(0), uint(0)
		if !s.begin {
			places := first[j]
			pos = uint(bits.OnesCount64((places - 1) &^ places)) // the zeros at the end
		}
		at[0] = uint8(pos)
		for i, t := range steps {
			n := t.run(b.in[t.set%setsMax][j], pos)
			failed |= (n - uint(t.min)) >> 63
			pos += n
			at[i+1] = uint8(pos)
		}
		if s.end {
			failed |= pos ^ uint(b.length[j])
		}
		b.from[j], b.to[j], b.failed[j] = at[from], at[to], uint8(failed|failed>>8)
	}
}

// keep writes down what was found.
func (b *block) keep(p *Pattern, text []byte, out records.Column, kept records.Selection) records.Selection {
	for j, i := range b.records {
		f := records.Span{Off: b.at[j%blockMax], Len: b.length[j%blockMax]}
		from, to, v := uint32(b.from[j%blockMax]), uint32(b.to[j%blockMax]), fits
		if f.Len > fieldMax {
			v = unsure
		} else if b.failed[j%blockMax] != 0 {
			in := [setsMax]uint64{b.in[0][j%blockMax], b.in[1][j%blockMax], b.in[2][j%blockMax], b.in[3][j%blockMax]}
			from, to, v = p.masks.find(&in, f.Len)
		}
		switch {
		case v == unsure:
			kept = p.scanOne(text, f, i, out, kept)
		case v == fits:
			kept = keep(i, f, from, to, out, kept)
		}
	}
	return kept
}

// keep puts what was found in the field f of record i where it belongs.
func keep(i uint16, f records.Span, from, to uint32, out records.Column, kept records.Selection) records.Selection {
	if out != nil {
		out[i] = records.Span{Off: f.Off + from, Len: to - from}
	}
	return append(kept, i)
}
