package literals

import (
	"math"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/kernel/pattern"
	"github.com/thresh-dev/thresh/internal/threshold"
)

var (
	// nibblesMost is the largest number of literals for the filter by half bytes. With more
	// literals, too many half bytes match.
	nibblesMost = threshold.New("literals: texts in the filter by half bytes", 24, 1)
	// shortLength is the length below which literals get a filter of their own, so that they do not
	// shorten the stride of the others.
	shortLength = threshold.New("literals: bytes of a text long enough for a long stride", 6, 1)
)

// spellingsMost is the largest number of spellings of one text in the filter by grams. More than
// one is needed only for letters whose encoding is shorter in one case than in another, like k and
// the Kelvin sign. Texts with more spellings go to the other filter.
const spellingsMost = 64

// filter makes the filters: two for literals without wildcards, one of them for the short ones if
// there are many, and one for literals with wildcards.
func (s *Set) filter(plain []Literal) {
	var short, long []Literal
	for _, l := range plain {
		if n, _ := s.lengths(l.Value); n < shortLength.Get() {
			short = append(short, l)
		} else {
			long = append(long, l)
		}
	}
	if len(plain) <= nibblesMost.Get() {
		short, long = plain, nil
	}
	for _, group := range [][]Literal{short, long} {
		if len(group) > nibblesMost.Get() {
			group = s.filterGrams(group)
		}
		if len(group) > 0 {
			s.filterNibbles(group)
		}
	}
	var wild []Literal
	for _, w := range s.wild {
		wild = append(wild, Literal{w.value, w.mask})
	}
	if len(wild) > 0 {
		s.filterNibbles(wild)
	}
}

// shortestOf returns the length in bytes of the shortest literal of a group in any spelling.
func (s *Set) shortestOf(group []Literal) int {
	shortest := math.MaxInt
	for _, l := range group {
		n, _ := s.lengths(l.Value)
		shortest = min(shortest, n)
	}
	return shortest
}

// filterGrams makes the filter for many literals, and returns those that it cannot handle.
func (s *Set) filterGrams(group []Literal) (rest []Literal) {
	shortest := s.shortestOf(group)
	var texts [][]byte
	for _, l := range group {
		if !s.fold {
			texts = append(texts, l.Value)
		} else if spelled := spellings(l.Value, shortest, spellingsMost, true); spelled != nil {
			texts = append(texts, spelled...)
		} else {
			rest = append(rest, l)
		}
	}
	if len(texts) > 0 {
		s.grams = append(s.grams, newGrams(texts, shortest, s.fold))
	}
	return rest
}

// filterNibbles makes the filter for few literals, or for those with wildcards.
func (s *Set) filterNibbles(group []Literal) {
	shortest := s.shortestOf(group)
	off := 0
	if !s.fold {
		off = rarest(group, shortest)
	}
	width := min(window, shortest-off)
	var prints []print
	for _, l := range group {
		if !s.fold {
			prints = append(prints, printOf(l, off, width))
			continue
		}
		// The limit is never reached: four letters with four spellings each give few.
		for _, spelled := range spellings(l.Value, width, math.MaxInt, false) {
			prints = append(prints, printOf(Literal{Value: spelled}, 0, width))
		}
	}
	s.nibbles = append(s.nibbles, newNibbles(prints, off, width))
}

// printOf returns the bytes of a literal at the positions of the filter.
func printOf(l Literal, off, width int) (p print) {
	for i := range width {
		p.value[i], p.mask[i] = l.Value[off+i], 0xff
		if l.Mask != nil {
			p.mask[i] = l.Mask[off+i]
		}
	}
	return p
}

// rarest returns the offset at which the bytes of the literals are rarest in most data.
func rarest(group []Literal, shortest int) (off int) {
	const offMost = 32
	least := math.Inf(1)
	for at := range min(max(shortest-window, 0)+1, offMost) {
		sum := 0.0
		for _, l := range group {
			sum += commonness(printOf(l, at, min(window, shortest-at)))
		}
		if sum < least {
			off, least = at, sum
		}
	}
	return off
}

// commonness estimates how often these bytes occur, relative to others.
func commonness(p print) float64 {
	product := 1.0
	for i, mask := range p.mask {
		switch mask {
		case 0xff:
			product *= 1 + float64(pattern.Commonness(p.value[i]))
		case 0:
			product *= 1 << 16
		default:
			product *= 1 << 12
		}
	}
	return product
}

// spellings returns the first n bytes of all texts that differ from text only in case, or nil if
// there are more than most. No spelling of the text may have fewer than n bytes. If caseless is
// set, one-byte letters are given in lower case only.
func spellings(text []byte, n, most int, caseless bool) (out [][]byte) {
	var spell func(rest, begun []byte) bool
	spell = func(rest, begun []byte) bool {
		if len(begun) >= n {
			out = append(out, begun[:n:n])
			return len(out) <= most
		}
		r, size := utf8.DecodeRune(rest)
		fits := true
		orbit(r, func(f rune) {
			if upper := 'A' <= f && f <= 'Z'; fits && !(caseless && upper) {
				fits = spell(rest[size:], utf8.AppendRune(begun[:len(begun):len(begun)], f))
			}
		})
		return fits
	}
	if !spell(text, nil) {
		return nil
	}
	return out
}
