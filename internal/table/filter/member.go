package filter

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// memberSelector matches fields that are one of some texts, or equal one of some numbers.
type memberSelector struct {
	fields
	texts   map[string]bool
	times   map[value.Moment]bool // of the texts that are times; nil if none is
	numbers []decimal.Number      // ascending
	parsed  *decimal.Numbers      // of the fields
	plain   map[int64]bool        // the mantissas at scale of those numbers that have one
	scale   int
}

func (n *member) selector(b *builder, negated bool) selector {
	var s selector
	if len(n.numbers) == 0 && len(n.texts) <= fewTexts && longest(n.texts) <= wordBytes { // which is too short for a time
		s = newFewSelector(n)
	} else {
		s = n.anySelector(b)
	}
	switch {
	case negated && len(n.numbers) > 0:
		return &othersSelector{fields: fieldsOf(n.left), of: &someSelector{parts: []selector{s, n.notNumbers(b)}}}
	case negated:
		return &othersSelector{fields: fieldsOf(n.left), of: s}
	case slices.Contains(n.texts, ""):
		return &knownSelector{fieldsOf(n.left), s}
	}
	return s
}

// notNumbers returns the selector of the fields that are not numbers: whether they equal one is unknown.
func (n *member) notNumbers(b *builder) selector {
	return &notNumberSelector{fieldsOf(n.left), b.numbersOf(n.left)}
}

type notNumberSelector struct {
	fields
	numbers *decimal.Numbers
}

func (s *notNumberSelector) keep(b *batch, sel records.Selection) records.Selection {
	s.numbers.Parse(b.text, s.of(b, sel), sel)
	kept := sel[:0]
	for _, i := range sel {
		if !isNumber(s.numbers.Kinds[i]) {
			kept = append(kept, i)
		}
	}
	return kept
}

func (n *member) anySelector(b *builder) selector {
	s := &memberSelector{fields: fieldsOf(n.left), texts: map[string]bool{}, numbers: slices.Clone(n.numbers)}
	for _, t := range n.texts {
		s.texts[t] = true
		if moment, ok := value.ParseTime([]byte(t)); ok {
			if s.times == nil {
				s.times = map[value.Moment]bool{}
			}
			s.times[moment.Moment()] = true
		}
	}
	if len(s.numbers) > 0 {
		slices.SortFunc(s.numbers, decimal.Number.Compare)
		s.parsed = b.numbersOf(n.left)
		s.rescale()
	}
	return s
}

// fewTexts is up to how many short texts each field is compared with all of them.
const fewTexts = 8

// fewSelector matches fields that are one of a few texts of up to a word each. It has no branch that depends on
// the fields, and reads beyond their ends, into the slack of the batch.
type fewSelector struct {
	fields
	words, lengths []uint64 // of the texts
}

func longest(texts []string) (n int) {
	for _, t := range texts {
		n = max(n, len(t))
	}
	return n
}

func newFewSelector(n *member) *fewSelector {
	s := &fewSelector{fields: fieldsOf(n.left)}
	for _, t := range n.texts {
		var word [wordBytes]byte
		copy(word[:], t)
		s.words = append(s.words, binary.LittleEndian.Uint64(word[:]))
		s.lengths = append(s.lengths, uint64(len(t)))
	}
	return s
}

func (s *fewSelector) keep(b *batch, sel records.Selection) records.Selection {
	column := s.of(b, sel)
	text := unsafe.Pointer(unsafe.SliceData(b.text))
	n := 0
	for _, i := range sel {
		f := column[i]
		word := load(unsafe.Add(text, f.Off)) & (math.MaxUint64 >> (wordBytes * (wordBytes - min(wordBytes, f.Len))))
		found := uint64(0)
		for t, w := range s.words {
			_, same := bits.Sub64((word^w)|(uint64(f.Len)^s.lengths[t]), 1, 0)
			found |= same
		}
		sel[n] = i
		n += int(found)
	}
	return sel[:n]
}

// rescale computes the mantissas of the numbers at the scale of the fields.
func (s *memberSelector) rescale() {
	s.scale, s.plain = s.parsed.Scale, map[int64]bool{}
	for _, n := range s.numbers {
		if m, exact, ok := n.Mantissa(s.scale); ok && exact {
			s.plain[m] = true
		}
	}
}

func (s *memberSelector) keep(b *batch, sel records.Selection) records.Selection {
	column := s.of(b, sel)
	if s.parsed != nil {
		s.parsed.Parse(b.text, column, sel)
		if s.scale != s.parsed.Scale {
			s.rescale()
		}
	}
	kept := sel[:0]
	for _, i := range sel {
		field := column[i].Of(b.text)
		if s.parsed != nil && len(s.texts) == 0 && !isNumber(s.parsed.Kinds[i]) {
			b.isBad(s.column, i, column[i])
			continue
		}
		if s.texts[string(field)] || s.parsed != nil && s.hasNumber(i, field) || s.times != nil && s.hasTime(field) {
			kept = append(kept, i)
		}
	}
	return kept
}

// hasNumber reports whether the field of record i equals one of the numbers.
func (s *memberSelector) hasNumber(i uint16, field []byte) bool {
	switch s.parsed.Kinds[i] {
	case decimal.Plain:
		return s.plain[s.parsed.Mantissa[i]]
	case decimal.Irregular:
		n, _ := decimal.Parse(field)
		_, found := slices.BinarySearchFunc(s.numbers, n, decimal.Number.Compare)
		return found
	}
	return false
}

// hasTime reports whether a field is one of the times.
func (s *memberSelector) hasTime(field []byte) bool {
	t, ok := value.ParseTime(field)
	return ok && s.times[t.Moment()]
}

// nullSelector selects fields that are null or, negated, that are not.
type nullSelector struct {
	fields
	negated bool
	fit     [records.Max]uint16
}

func (n *null) selector(_ *builder, negated bool) selector {
	return &nullSelector{fields: fieldsOf(n.of), negated: negated}
}

func (s *nullSelector) keep(b *batch, sel records.Selection) records.Selection {
	if s.negated {
		return s.known(b, sel)
	}
	return without(sel, s.known(b, append(s.fit[:0], sel...)))
}
