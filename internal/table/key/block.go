package key

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// group is how many records are matched together: each has one 64-bit word of a vector.
const group = 8

// block is a batch of records that are matched together.
type block struct {
	records records.Selection
	fields  [blockMax]records.Span
	in      [rangesMax][blockMax]uint64 // by range and record: the mask of bytes in the range
	found   [blockMax]records.Span      // the answer, or the whole field if there is none yet
	fits    [blockMax / group]uint8     // a bit for each record that has an answer
	doubt   [blockMax / group]uint8     // a bit for each record that needs a closer look
}

// scanMasks is scan with masks. It tries the first possible start in all fields at once. If
// that start does not match, which is rare, it tries the other starts field by field.
func (p *Finder) scanMasks(text []byte, column records.Column, sel records.Selection,
	out records.Column, kept records.Selection) records.Selection {
	b, m := &p.block, p.masks
	base := unsafe.Pointer(unsafe.SliceData(text))
	for len(sel) > 0 {
		b.records = sel[:min(len(sel), blockMax)]
		sel = sel[len(b.records):]
		b.fill(column)
		for r := 0; r+1 < len(m.ranges); r += 2 {
			p.kernels.Func.mark(base, b, m.ranges[r], m.ranges[r+1], &b.in[r], &b.in[r+1])
		}
		p.kernels.Func.walk(b, m)
		kept = b.keep(p, text, out, kept)
	}
	return kept
}

// fill loads the fields of the records.
func (b *block) fill(column records.Column) {
	if first, n, ok := b.run(); ok {
		copy(b.fields[:], column[first:first+n])
		return
	}
	for j, i := range b.records {
		b.fields[j%blockMax] = column[i]
	}
}

// put stores the answers, and for records without an answer the whole field.
func (b *block) put(out records.Column) {
	if first, n, ok := b.run(); ok {
		copy(out[first:first+n], b.found[:])
		return
	}
	for j, i := range b.records {
		out[i] = b.found[j%blockMax]
	}
}

// run reports whether the records have consecutive numbers, which is the usual case.
func (b *block) run() (first, n int, ok bool) {
	first, n = int(b.records[0]), len(b.records)
	return first, n, int(b.records[n-1])-first == n-1
}

// walkPlain defines what a walk does: from the first place where the first item can take a
// byte, each item takes as many bytes as it can.
func walkPlain(b *block, m *masks) {
	b.fits, b.doubt = [blockMax / group]uint8{}, [blockMax / group]uint8{}
	for j := range b.records {
		j &= blockMax - 1 // changes nothing, but removes the bounds checks
		f, bit := b.fields[j], uint8(1)<<(j%group)
		b.found[j] = f
		if f.Len > fieldMax {
			b.doubt[j/group] |= bit
			continue
		}
		start := uint64(1)
		if !m.begin {
			places := b.set(m, 0, j)
			start = places & -places
		}
		if from, to := b.match(m, j, start); to != 0 {
			b.found[j] = answer(f, from, to)
			b.fits[j/group] |= bit
		} else if start != 0 && !m.final {
			b.doubt[j/group] |= bit
		}
	}
}

// set returns the mask of the bytes of record j that item i can take.
func (b *block) set(m *masks, i, j int) uint64 {
	t := &m.steps[i]
	in := uint64(0)
	for _, r := range t.ranges {
		in |= b.in[r%rangesMax][j%blockMax]
	}
	return (in ^ t.others) & (1<<(b.fields[j%blockMax].Len&63) - 1)
}

// match is shape.match on masks. A place is a mask with one bit. If the set contains the bytes
// from p on, adding p makes a carry run through all of them, up to the first byte that is not
// in the set. Without a match, match returns 0 and 0.
func (b *block) match(m *masks, j int, p uint64) (from, to uint64) {
	from, to = p, p
	for i := range m.steps {
		t := &m.steps[i]
		in := b.set(m, i, j)
		if t.max < fieldMax {
			in &= p<<t.max - p
		}
		next := (in + p) &^ in
		if next>>t.min < p {
			return 0, 0
		}
		p = next
		if i+1 == m.from {
			from = p
		}
		if i+1 == m.to {
			to = p
		}
	}
	if m.end && p != 1<<(b.fields[j%blockMax].Len&63) {
		return 0, 0
	}
	return from, to
}

// answer returns the part of the field f between two places. The index of a single bit is the
// number of ones in bit-1. To count them is faster than to search for the bit, because the
// search instruction that all processors have is slow.
func answer(f records.Span, from, to uint64) records.Span {
	return records.Span{Off: f.Off + uint32(bits.OnesCount64(from-1)), Len: uint32(bits.OnesCount64(to - from))}
}

// keep appends the records that have an answer. kept may share memory with b.records: writing
// never overtakes reading.
func (b *block) keep(p *Finder, text []byte, out records.Column, kept records.Selection) records.Selection {
	if out != nil {
		b.put(out)
	}
	n := len(kept)
	kept = slices.Grow(kept, len(b.records))[:n+len(b.records)]
	for g := 0; g < len(b.records); g += group {
		some := b.records[g:min(g+group, len(b.records))]
		fits := b.fits[g/group]
		switch {
		case b.doubt[g/group] != 0:
			n = len(b.settle(p, text, g, some, out, kept[:n]))
		case fits == 1<<group-1:
			*(*[group]uint16)(kept[n:]) = [group]uint16(some)
			n += group
		default:
			for j, i := range some {
				kept[n] = i
				n += int(fits >> (j % group) & 1)
			}
		}
	}
	return kept[:n]
}

// settle is keep for the group of records that begins at g, if one or more of them need a
// closer look.
func (b *block) settle(p *Finder, text []byte, g int, some records.Selection,
	out records.Column, kept records.Selection) records.Selection {
	fits, doubt := b.fits[g/group], b.doubt[g/group]
	for j, i := range some {
		f, found, ok := b.fields[g+j], b.found[g+j], fits>>j&1 != 0
		if doubt>>j&1 != 0 {
			if f.Len > fieldMax || !p.masks.sure {
				kept = p.scanOne(text, f, i, out, kept)
				continue
			}
			found, ok = b.find(p.masks, g+j)
		}
		if ok {
			if out != nil {
				out[i] = found
			}
			kept = append(kept, i)
		}
	}
	return kept
}

// find is shape.find on masks, for a shape that is sure and may begin anywhere.
func (b *block) find(m *masks, j int) (found records.Span, ok bool) {
	for starts := b.set(m, 0, j); starts != 0; {
		start := starts & -starts
		if from, to := b.match(m, j, start); to != 0 {
			return answer(b.fields[j], from, to), true
		}
		if m.again {
			starts &= starts + start // the whole run
		} else {
			starts &^= start
		}
	}
	return records.Span{}, false
}
