package agg

import (
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
)

// State is what every group keeps: words, of which some are handles of objects in a store. The first word counts the
// records of the group.
type State struct {
	parts        int // of the keys
	accumulators []*accumulator
	objects      []object
	handles      []handle
	counters     []int // words that are added up when groups are merged
	words        int
	Init         []uint64
}

// NewState returns a state of which nothing but the number of a key's parts is known.
func NewState(parts int) *State { return &State{parts: parts, words: 1, Init: []uint64{0}} }

// object is what a group keeps of a column, for one or more aggregates, that an accumulator cannot: handles of what is
// in a store, or a number that is known after all records have been read.
type object interface {
	base() *kept
	// layout assigns words to the object.
	layout(s *State)
	// add adds the selected records of a batch to their groups.
	add(b *batch.Batch, g *Groups, sel records.Selection, ids []uint32, words []uint64) error
}

// kept is the part of an object that all kinds have.
type kept struct {
	column  int
	columns []int // column, and others if there are any
	index   int   // in state.objects, and in groups.pairs
	at      int   // the first of its words
}

func (k *kept) base() *kept { return k }

// objectOf returns the object of kind O for some columns. It makes it if there is none.
func objectOf[O object](s *State, q Columns, of []int, fresh func(kept) O) O {
	for _, o := range s.objects {
		if o, ok := o.(O); ok && slices.Equal(o.base().columns, of) {
			return o
		}
	}
	return newObject(s, q, of, fresh)
}

func newObject[O object](s *State, q Columns, of []int, fresh func(kept) O) O {
	q.Want(of...)
	o := fresh(kept{column: of[0], columns: of, index: len(s.objects)})
	s.objects = append(s.objects, o)
	return o
}

// Layout assigns words to what the aggregates need, after all have been bound.
func (s *State) Layout() {
	for _, f := range s.accumulators {
		f.layout(s)
	}
	for _, f := range s.accumulators {
		f.layoutRare(s)
	}
	for _, o := range s.objects {
		o.base().at = s.words
		o.layout(s)
	}
}

// SetScales tells the scales of the number columns.
func (s *State) SetScales(scales []int) {
	for _, f := range s.accumulators {
		f.digits = scales[f.number]
	}
}

// JoinsTexts reports whether the texts of several columns may be put together in the batch.
func (s *State) JoinsTexts() bool {
	return slices.ContainsFunc(s.objects, func(o object) bool { return len(o.base().columns) > 1 })
}

// RarelyObjects reports whether only few groups have objects.
func (s *State) RarelyObjects() bool {
	return !slices.ContainsFunc(s.handles, func(h handle) bool { return !h.rare })
}

func (s *State) addWord(first int64) int {
	s.Init = append(s.Init, uint64(first))
	s.words++
	return s.words - 1
}

// addCounter adds a word that is a number of records or texts.
func (s *State) addCounter() {
	s.counters = append(s.counters, s.addWord(0))
}

// addHandle adds a word that is a handle. rare is true if few groups have an object there.
func (s *State) addHandle(rare bool, make func(*Store) objects) int {
	word := s.addWord(0)
	s.handles = append(s.handles, handle{word, rare, make})
	return word
}

// merge adds the words of a group to those of the same group in another table or run.
func (s *State) merge(into, from []uint64) {
	into[0] += from[0]
	for _, f := range s.accumulators {
		f.merge(into, from)
	}
	for _, i := range s.counters {
		into[i] += from[i]
	}
}
