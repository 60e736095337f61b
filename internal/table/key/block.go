package key

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// group is how many records one word of a vector each is for.
const group = 8

// block is some records on their way through a shape's items.
type block struct {
	records records.Selection
	fields  [blockMax]records.Span
	in      [rangesMax][blockMax]uint64 // of each range, the bytes of each field in it
	found   [blockMax]records.Span      // the answer, or the field if there is none yet
	fits    [blockMax / group]uint8     // a bit for each record that has an answer
	doubt   [blockMax / group]uint8     // and for each that might have one nevertheless
}

// scanMasks is scan by masks. Where the first place to begin at is not the right one, which
// is rare, it looks at the others one field at a time.
func (p *Finder) scanMasks(text []byte, column records.Column, sel records.Selection,
	out records.Column, kept records.Selection) records.Selection {
	b, m := &p.block, p.masks
	base := unsafe.Pointer(unsafe.SliceData(text))
	for len(sel) > 0 {
		b.records = sel[:min(len(sel), blockMax)]
		sel = sel[len(b.records):]
		b.fill(column)
		for r := 0; r+1 < len(m.ranges); r += 2 {
			p.forms.Func.mark(base, b, m.ranges[r], m.ranges[r+1], &b.in[r], &b.in[r+1])
		}
		p.forms.Func.walk(b, m)
		kept = b.keep(p, text, out, kept)
	}
	return kept
}

// fill gets the fields of the records.
func (b *block) fill(column records.Column) {
	if first, n, ok := b.run(); ok {
		copy(b.fields[:], column[first:first+n])
		return
	}
	for j, i := range b.records {
		b.fields[j%blockMax] = column[i]
	}
}

// put writes down what was found, and the field where nothing was.
func (b *block) put(out records.Column) {
	if first, n, ok := b.run(); ok {
		copy(out[first:first+n], b.found[:])
		return
	}
	for j, i := range b.records {
		out[i] = b.found[j%blockMax]
	}
}

// run reports whether the records follow each other, as they mostly do.
func (b *block) run() (first, n int, ok bool) {
	first, n = int(b.records[0]), len(b.records)
	return first, n, int(b.records[n-1])-first == n-1
}

// walkPlain says what a walk is to do: let each item take all it can, from the first place
// on where the first one can.
func walkPlain(b *block, m *masks) {
	b.fits, b.doubt = [blockMax / group]uint8{}, [blockMax / group]uint8{}
	for j := range b.records {
		j &= blockMax - 1 // it is less: now the compiler knows
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

// set is which bytes of record j the item i can take.
func (b *block) set(m *masks, i, j int) uint64 {
	t := &m.steps[i]
	in := uint64(0)
	for _, r := range t.ranges {
		in |= b.in[r%rangesMax][j%blockMax]
	}
	return (in ^ t.others) & (1<<(b.fields[j%blockMax].Len&63) - 1)
}

// match is shape.match, on masks. Places are bits: if a set has those at p and some behind,
// then adding p carries over all of them, to the first that it does not have. Where nothing
// fits both answers are 0.
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

// answer is the part of the field f between two places. Below a bit are as many ones, when
// one is taken from it, as its place says; that is quicker than looking for it, since the
// instruction for the latter that all processors have is slow.
func answer(f records.Span, from, to uint64) records.Span {
	return records.Span{Off: f.Off + uint32(bits.OnesCount64(from-1)), Len: uint32(bits.OnesCount64(to - from))}
}

// keep appends the records in which something was found. kept may lie where they are: it
// never overtakes.
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

// settle is keep for some records, from g on, of which one or more are in doubt.
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

// find is shape.find, on masks, for a shape that is sure and begins anywhere.
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
