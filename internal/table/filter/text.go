package filter

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"strings"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/value"
)

const wordBytes = 8

func (n *textual) selector(_ *builder, negated bool) selector {
	rel := unless(n.rel, negated)
	s := n.comparison(rel)
	if _, short := s.(*shortSelector); short || rel == expr.Equal || rel == expr.Greater { // no null is selected
		return s
	}
	return &knownSelector{fieldsOf(n.left), s}
}

// knownSelector selects what another selector does if it is not null.
type knownSelector struct {
	fields
	of selector
}

func (s *knownSelector) keep(b *batch, sel records.Selection) records.Selection {
	return s.known(b, s.of.keep(b, sel))
}

// comparison returns the selector of the fields for which a relation holds. Null is an empty text for all but the
// shortSelector.
func (n *textual) comparison(rel expr.Relation) selector {
	f := fieldsOf(n.left)
	if t, ok := value.ParseTime([]byte(n.right)); ok {
		return newTimeSelector(f, rel, n.right, t)
	}
	switch {
	case rel != expr.Equal && rel != expr.Unequal:
		return &orderSelector{fields: f, rel: rel, right: []byte(n.right), first: firstWord(n.right)}
	case len(n.right) > 2*wordBytes:
		return &longSelector{f, rel, n.right}
	}
	s := &shortSelector{fields: f, length: uint32(len(n.right)), last: uint32(max(0, len(n.right)-wordBytes))}
	s.mask = math.MaxUint64 >> (wordBytes * (wordBytes - min(wordBytes, s.length)))
	padded := n.right + strings.Repeat("\x00", wordBytes)
	s.head = binary.LittleEndian.Uint64([]byte(padded)) & s.mask
	s.tail = binary.LittleEndian.Uint64([]byte(padded[s.last:])) & s.mask
	if rel == expr.Unequal {
		s.others = 1
	}
	return s
}

// shortSelector matches fields that equal a text of up to two words, or all other fields that are not null. The
// words may overlap. It reads beyond the ends of fields, into the slack of the batch.
type shortSelector struct {
	fields
	length     uint32
	last       uint32 // offset of the second word
	head, tail uint64 // the words
	mask       uint64 // the bits of the words that are compared
	others     uint64 // 1 for all other fields
}

func (s *shortSelector) keep(b *batch, sel records.Selection) records.Selection {
	column := s.of(b, sel)
	text := unsafe.Pointer(unsafe.SliceData(b.text))
	length, last, head, tail, mask, others := s.length, s.last, s.head, s.tail, s.mask, s.others
	n, empty := 0, uint32(0) // the highest bit of empty is set once a field is
	for _, i := range sel {
		f := column[i]
		empty |= f.Len - 1
		at := unsafe.Add(text, f.Off)
		differ := ((load(at) ^ head) | (load(unsafe.Add(at, last)) ^ tail)) & mask
		differ |= uint64(f.Len ^ length)
		_, same := bits.Sub64(differ, 1, 0)
		sel[n] = i
		n += int(same ^ others)
	}
	if int32(empty) < 0 && (others == 1 || length == 0) {
		return s.known(b, sel[:n])
	}
	return sel[:n]
}

func load(p unsafe.Pointer) uint64 { return binary.LittleEndian.Uint64((*[wordBytes]byte)(p)[:]) }

// longSelector matches fields that equal, or do not equal, a longer text.
type longSelector struct {
	fields
	rel   expr.Relation
	right string
}

func (s *longSelector) keep(b *batch, sel records.Selection) records.Selection {
	column := s.of(b, sel)
	kept := sel[:0]
	for _, i := range sel {
		if (string(column[i].Of(b.text)) == s.right) == (s.rel == expr.Equal) {
			kept = append(kept, i)
		}
	}
	return kept
}

// orderSelector compares the order of fields and a text. It compares the first words as numbers,
// padded with zeros, and compares the texts only if the words are equal.
type orderSelector struct {
	fields
	rel   expr.Relation
	right []byte
	first uint64
}

func firstWord(text string) uint64 {
	var w [wordBytes]byte
	copy(w[:], text)
	return binary.BigEndian.Uint64(w[:])
}

func (s *orderSelector) keep(b *batch, sel records.Selection) records.Selection {
	column := s.of(b, sel)
	text := unsafe.Pointer(unsafe.SliceData(b.text))
	smaller := s.rel == expr.Less || s.rel == expr.AtMost
	kept := sel[:0]
	for _, i := range sel {
		f := column[i]
		first := bits.ReverseBytes64(load(unsafe.Add(text, f.Off)))
		first &= ^(uint64(math.MaxUint64) >> (wordBytes * min(wordBytes, f.Len)))
		fits := first < s.first == smaller
		if first == s.first {
			fits = s.rel.Holds(bytes.Compare(f.Of(b.text), s.right))
		}
		if fits {
			kept = append(kept, i)
		}
	}
	return kept
}
