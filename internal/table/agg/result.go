package agg

import (
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/decimal"
)

// Result computes an aggregate from the words and the objects that a group keeps.
type Result interface {
	// Heading returns the type and the scale of the results. K is what is known of the number
	// columns, as in the methods below.
	Heading(k []batch.Known) answer.Column
	// Number returns the result for a group. null is true if the group has no values for it, exact is false if it
	// is an estimate. It is not called if the results are texts.
	Number(t *Reader, words []uint64, s *Store) (n decimal.Number, null, exact bool)
	// Text returns the result, nil for null, if the results are texts. It may belong to the store.
	Text(t *Reader, words []uint64, s *Store) (text []byte, exact bool)
	// Times reports whether the texts are times, and ordered as such.
	Times(k []batch.Known) bool
	// Word returns the result if it is a word of the group: times 10 to the power of scale. null is true if the group
	// has no numbers, ok is false if the word is not all of it.
	Word(words []uint64) (v int64, null, ok bool)
	// Scale returns the scale of the word; ok is false if the result is never a word.
	Scale(k []batch.Known) (scale int, ok bool)
	// Quick returns a result that is a float and no word without large numbers. ok is false if they are needed.
	Quick(t *Reader, words []uint64) (f float64, ok bool)
	// Remark is the note on groups for which the result is not exact.
	Remark(groups int64) string
}

// numeric is the part of a result that is always a number, exact, and not in one word.
type numeric struct{}

func (numeric) Text(*Reader, []uint64, *Store) ([]byte, bool) {
	panic("thresh: bug: a number as text")
}
func (numeric) Times([]batch.Known) bool                     { return false }
func (numeric) Word([]uint64) (v int64, null, ok bool)       { return 0, false, false }
func (numeric) Scale([]batch.Known) (scale int, ok bool)     { return 0, false }
func (numeric) Quick(*Reader, []uint64) (f float64, ok bool) { return 0, false }
func (numeric) Remark(int64) string                          { panic("thresh: bug: an exact result") }

// Reader is what one goroutine computes results with, group by group.
type Reader struct {
	Known   []batch.Known // of the number columns
	Begun   int64         // groups
	workers int
	rankers []*ranker // by object; nil until there is one
	Err     error     // the first error of a result: then what was computed for the group means nothing
}

// NewReader returns a reader of the groups of a state, for one goroutine.
func NewReader(s *State, k []batch.Known, workers int) Reader {
	return Reader{Known: k, workers: workers, rankers: make([]*ranker, len(s.objects))}
}

// ranker returns the ranker of a column's values for the current group.
func (t *Reader) ranker(v *numberValues, words []uint64, s *Store) *ranker {
	k := t.rankers[v.index]
	if k == nil {
		column := &t.Known[v.number]
		k = &ranker{scale: column.Scale, isFloat: column.Floats, workers: t.workers}
		t.rankers[v.index] = k
	}
	if k.group != t.Begun {
		k.begin(v, words, s)
		k.group = t.Begun
	}
	return k
}

// failed keeps the first error of a result.
func (t *Reader) failed(err error) {
	if t.Err == nil {
		t.Err = err
	}
}
