// Package literals finds many literals at once: bytes, patterns with wildcards, and texts whose
// case does not matter. The result is where any of them occurs. If several occur at one place, the
// one given first counts.
//
// A search works block by block in two steps:
//
//	mark    filters set a bit for each place where a literal may begin
//	verify  a trie finds which literal begins at a marked place, if any
//
// There are two filters, and a set uses either or both; see nibbles.go and grams.go. The first one
// tests the first bytes of a few literals with vector shuffles. The second one looks up hashes of a
// few bytes, for any number of literals, and only at some places: the longer the shortest literal,
// the fewer.
//
// A text can be constructed so that every place is marked and looks right for a long time. Once the
// trie has examined many more bytes than the text has, the search continues with an automaton,
// whose time is the same for all texts; see automaton.go.
package literals

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Literal is one of the alternatives. A byte b matches position i if b&Mask[i] == Value[i]; without
// a mask, if it equals Value[i].
type Literal struct {
	Value []byte
	Mask  []byte
}

// Set is a list of literals. It is immutable and safe for concurrent use.
type Set struct {
	trie  *trie  // literals without wildcards; nil if there are none
	wild  []wild // literals with wildcards, in the order given
	fold  bool
	zeros bool // one of them is all zeros

	shortest, longest int // bytes of an occurrence

	nibbles []*nibbles
	grams   []*grams
	variant kernel.Variant[Marker]

	automaton func() *automaton // made on demand
	given     []int             // of CompileEvery: the ids to yield
}

// wild is a literal with wildcards.
type wild struct {
	id          int32
	value, mask []byte
}

// none is the id of no literal. Ids count from 0 in the order given.
const none = math.MaxInt32

var (
	errEmpty  = errors.New("an empty text matches everywhere; give at least one byte")
	errNoFold = errors.New("case can be ignored in UTF-8 text only")
)

// Compile returns the set of the literals in list, which must not be empty. It copies their bytes.
// With fold, letters match those that differ only in case, by Unicode's simple folding, as with
// (?i) in regular expressions. Such literals are valid UTF-8 and have no masks.
//
// Compile chooses the instruction set; call it once per job.
func Compile(list []Literal, fold bool) (*Set, error) {
	return compile(list, fold, kernel.Choose(variants))
}

func compile(list []Literal, fold bool, variant kernel.Variant[Marker]) (*Set, error) {
	if len(list) == 0 {
		return nil, errors.New("no text to look for")
	}
	s := &Set{fold: fold, variant: variant, shortest: math.MaxInt}
	var plain []Literal
	for i, l := range list {
		if err := l.check(fold); err != nil {
			if len(list) > 1 {
				err = fmt.Errorf("text %d of %d: %w", i+1, len(list), err)
			}
			return nil, err
		}
		s.zeros = s.zeros || len(bytes.Trim(l.Value, "\x00")) == 0
		if l.wild() {
			s.wild = append(s.wild, wild{int32(i), bytes.Clone(l.Value), bytes.Clone(l.Mask)})
			s.grow(len(l.Value), len(l.Value))
			continue
		}
		l = Literal{Value: bytes.Clone(l.Value)}
		if fold {
			l.Value = canonical(l.Value)
		}
		if s.trie == nil {
			s.trie = newTrie()
		}
		if s.trie.insert(l.Value, int32(i)) {
			plain = append(plain, l)
			s.grow(s.lengths(l.Value))
		}
	}
	s.filter(plain)
	s.automaton = sync.OnceValue(func() *automaton { return newAutomaton(s.trie, fold) })
	return s, nil
}

func (l *Literal) check(fold bool) error {
	switch {
	case len(l.Value) == 0:
		return errEmpty
	case l.Mask != nil && len(l.Mask) != len(l.Value):
		panic("thresh: bug: a literal and its mask differ in length")
	case l.Mask != nil && len(bytes.Trim(l.Mask, "\x00")) == 0:
		return errors.New("wildcards alone match everywhere; write at least one digit")
	case fold && (l.Mask != nil || !utf8.Valid(l.Value)):
		return errNoFold
	}
	return nil
}

// wild reports whether the literal has wildcards.
func (l *Literal) wild() bool {
	return slices.ContainsFunc(l.Mask, func(m byte) bool { return m != 0xff })
}

// lengths returns the lengths in bytes of the shortest and the longest text that matches value.
func (s *Set) lengths(value []byte) (shortest, longest int) {
	if !s.fold {
		return len(value), len(value)
	}
	for _, r := range string(value) {
		low, high := runeLengths(r)
		shortest, longest = shortest+low, longest+high
	}
	return shortest, longest
}

func (s *Set) grow(shortest, longest int) {
	s.shortest, s.longest = min(s.shortest, shortest), max(s.longest, longest)
}

// Longest returns the length in bytes of the longest possible occurrence.
func (s *Set) Longest() int { return s.longest }

// ISA returns the instruction set of the first filter.
func (s *Set) ISA() cpu.ISA { return s.variant.ISA }

// FitsZeros reports whether a literal occurs among zeros.
func (s *Set) FitsZeros() bool { return s.zeros }

const (
	// blockStarts is how many places are marked before they are verified. Their bits and their
	// bytes stay in the first-level cache.
	blockStarts = 64 * blockWords
	blockWords  = 64
)

// patience is how many bytes the trie may examine before their number is compared with that of the
// text.
var patience = threshold.New("literals: bytes examined before the automaton is built", 64<<10, 1)

// patienceFactor is how many times the length of the text the trie may examine.
const patienceFactor = 16

// All calls yield with the index and the length of each occurrence that begins in the first starts
// bytes of b and lies completely inside b, in ascending order, until yield returns false. It yields
// one occurrence per place, even if occurrences overlap. Its time is linear in the length of b for
// literals without wildcards.
func (s *Set) All(b []byte, starts int, yield func(at, n int) bool) { s.all(b, starts, yield) }

// all is All, and returns how many bytes the trie has examined.
func (s *Set) all(b []byte, starts int, yield func(at, n int) bool) (examined int) {
	starts = min(starts, len(b)-s.shortest+1)
	patience := patience.Get()
	for base := 0; base < starts; base += blockStarts {
		n := min(blockStarts, starts-base)
		var marks [blockWords]uint64
		s.mark(b[base:], n, &marks)
		for word := range marks[:(n+63)/64] {
			for m := marks[word]; m != 0; m &= m - 1 {
				at := base + 64*word + bits.TrailingZeros64(m)
				n, steps := s.match(b[at:])
				if n > 0 && !yield(at, n) {
					return examined
				}
				if examined += steps; examined > patience && s.trie != nil &&
					(examined-patience)/patienceFactor > at {
					s.automaton().all(s, b, at+1, starts, yield)
					return examined
				}
			}
		}
	}
	return examined
}

// mark sets the bits of the places in b[:starts] where a literal may begin.
func (s *Set) mark(b []byte, starts int, marks *[blockWords]uint64) {
	for _, f := range s.nibbles {
		f.mark(s.variant.Func, b, starts, marks)
	}
	for _, f := range s.grams {
		f.mark(b, starts, marks)
	}
	if starts%64 != 0 {
		marks[starts/64] &= 1<<(starts%64) - 1
	}
}

// match returns the length of the literal at the start of b, 0 if there is none, and how many bytes
// were examined to find out.
func (s *Set) match(b []byte) (n, examined int) {
	id := int32(none)
	switch {
	case s.trie == nil:
	case s.fold:
		id, n, examined = s.trie.matchFold(b)
	default:
		id, n, examined = s.trie.match(b)
	}
	if m := s.matchWild(b, id); m > 0 {
		n = m
	}
	return n, examined
}

// matchWild returns the length of the literal with wildcards at the start of b, 0 if there is none
// that was given before id.
func (s *Set) matchWild(b []byte, id int32) int {
	for i := range s.wild {
		w := &s.wild[i]
		if w.id > id {
			break
		}
		if w.fits(b) {
			return len(w.value)
		}
	}
	return 0
}

func (w *wild) fits(b []byte) bool {
	if len(b) < len(w.value) {
		return false
	}
	for i, v := range w.value {
		if b[i]&w.mask[i] != v {
			return false
		}
	}
	return true
}

// Probes returns the benchmark task of the first filter: count in a log five words, one of which is
// in every line.
func Probes() []kernel.Probe {
	const line = "2026-03-04T10:11:12Z INFO req=7f3b9d user=1234 path=/v1/items status=200 took=12ms\n"
	var list []Literal
	for _, word := range []string{"ERROR", "WARN", "panic", "timeout", "status=200"} {
		list = append(list, Literal{Value: []byte(word)})
	}
	return []kernel.Probe{
		kernel.NewProbe("literals", 1, 0, variants, func(f Marker, n int) kernel.Work {
			b := []byte(strings.Repeat(line, n/len(line)+1)[:n])
			s, err := compile(list, false, kernel.Variant[Marker]{Func: f})
			if err != nil {
				panic("thresh: bug: " + err.Error())
			}
			return kernel.Repeat(func() (hits int) {
				s.All(b, len(b), func(int, int) bool {
					hits++
					return true
				})
				return hits
			})
		}),
	}
}
