package table

import (
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/row"
)

// result computes an aggregate from the words and the objects that a group keeps.
type result interface {
	// heading returns the type and the scale of the results. K is what is known of the number
	// columns, as in the methods below.
	heading(k []known) row.Column
	// number returns the result for a group. null is true if the group has no values for it, exact is false if it
	// is an estimate. It is not called if the results are texts.
	number(t *reader, words []uint64, s *store) (n decimal.Number, null, exact bool)
	// text returns the result, nil for null, if the results are texts. It may belong to the store.
	text(t *reader, words []uint64, s *store) (text []byte, exact bool)
	// times reports whether the texts are times, and ordered as such.
	times(k []known) bool
	// word returns the result if it is a word of the group: times 10 to the power of scale. null is true if the group
	// has no numbers, ok is false if the word is not all of it.
	word(words []uint64) (v int64, null, ok bool)
	// scale returns the scale of the word; ok is false if the result is never a word.
	scale(k []known) (scale int, ok bool)
	// quick returns a result that is a float and no word without large numbers. ok is false if they are needed.
	quick(t *reader, words []uint64) (f float64, ok bool)
	// remark is the note on groups for which the result is not exact.
	remark(groups int64) string
}

// numeric is the part of a result that is always a number, exact, and not in one word.
type numeric struct{}

func (numeric) text(*reader, []uint64, *store) ([]byte, bool) {
	panic("thresh: bug: a number as text")
}
func (numeric) times([]known) bool                           { return false }
func (numeric) word([]uint64) (v int64, null, ok bool)       { return 0, false, false }
func (numeric) scale([]known) (scale int, ok bool)           { return 0, false }
func (numeric) quick(*reader, []uint64) (f float64, ok bool) { return 0, false }
func (numeric) remark(int64) string                          { panic("thresh: bug: an exact result") }

// reader is what one goroutine computes results with, group by group.
type reader struct {
	known   []known // of the number columns
	begun   int64   // groups
	workers int
	rankers []*ranker // by object; nil until there is one
	err     error     // the first error of a result: then what was computed for the group means nothing
}

func newReader(s *state, k []known, workers int) reader {
	return reader{known: k, workers: workers, rankers: make([]*ranker, len(s.objects))}
}

// ranker returns the ranker of a column's values for the current group.
func (t *reader) ranker(v *numberValues, words []uint64, s *store) *ranker {
	k := t.rankers[v.index]
	if k == nil {
		column := &t.known[v.number]
		k = &ranker{scale: column.scale, isFloat: column.Floats, workers: t.workers}
		t.rankers[v.index] = k
	}
	if k.group != t.begun {
		k.begin(v, words, s)
		k.group = t.begun
	}
	return k
}

// failed keeps the first error of a result.
func (t *reader) failed(err error) {
	if t.err == nil {
		t.err = err
	}
}
