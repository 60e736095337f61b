package agg

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/table/group"
	"github.com/thresh-dev/thresh/internal/table/quantiles"
	"github.com/thresh-dev/thresh/internal/table/spill"
)

// handle describes a word of a group that is the handle of an object; 0 for none.
type handle struct {
	word int
	rare bool // few groups have such an object
	make func(s *Store) objects
}

// Store holds a worker's objects, by the words that are their handles.
type Store struct {
	objects []objects // by word; nil for words that are no handles
	values  *quantiles.Store
	others  []*otherSlots
	file    *spill.File // holds the numbers of others; nil until there are any
}

// objects are the objects of one word in a store.
type objects interface {
	// mergeFrom adds an object of another store, or of this one, to the object into. If into is 0, it makes one.
	mergeFrom(into uint64, from objects, handle uint64) (uint64, error)
	// appendBinary appends an encoding from which decode of the same store restores the object.
	appendBinary(handle uint64, b []byte) ([]byte, error)
	decode(b []byte) (handle uint64, err error)
	// export returns an encoding of all of an object; add adds it to an object of any store.
	export(handle uint64) ([]byte, error)
	add(into *uint64, exported []byte) error
	// bytes returns the memory of the objects, without what the store holds for several words.
	bytes() int64
	// reset drops all objects.
	reset()
}

func newStore(of *State, tempDir spill.Dir) *Store {
	s := &Store{objects: make([]objects, of.words), values: quantiles.New(tempDir)}
	for _, h := range of.handles {
		s.objects[h.word] = h.make(s)
	}
	return s
}

// MergeFrom implements group.ObjectStore, as do the methods that follow.
func (s *Store) MergeFrom(word int, into uint64, from group.ObjectStore, handle uint64) (uint64, error) {
	return s.objects[word].mergeFrom(into, from.(*Store).objects[word], handle)
}

// AppendBinary appends an encoding from which Decode restores the object.
func (s *Store) AppendBinary(word int, handle uint64, b []byte) ([]byte, error) {
	return s.objects[word].appendBinary(handle, b)
}

// Decode restores an object from the encoding of AppendBinary.
func (s *Store) Decode(word int, b []byte) (handle uint64, err error) {
	return s.objects[word].decode(b)
}

// Bytes returns approximately how much memory the objects use.
func (s *Store) Bytes() int64 {
	n := s.values.Bytes()
	for _, o := range s.objects {
		if o != nil {
			n += o.bytes()
		}
	}
	return n
}

// Reset drops all objects.
func (s *Store) Reset() {
	for _, o := range s.objects {
		if o != nil {
			o.reset()
		}
	}
	s.values.Reset()
}

// release drops the objects that were merged or decoded for one group.
func (s *Store) release() {
	s.values.Release()
	for _, o := range s.others {
		o.all = o.all[:o.settled]
	}
}

func (s *Store) close() error {
	err := s.values.Close()
	if s.file != nil {
		err = errors.Join(err, s.file.Close())
		s.file = nil
	}
	return err
}

// slots are objects of type T. A handle is the index of an object, from 1. Objects never move: each block has twice as
// many as the one before.
type slots[T any, P slot[T]] struct {
	blocks [][]T
	n      uint64
	size   int64
}

// blockFirst is how many objects the first block has.
const blockFirst = 16

// of returns the object of a handle.
func (s *slots[T, P]) of(handle uint64) P {
	i := handle - 1 + blockFirst
	block := bits.Len64(i / blockFirst)
	return &s.blocks[block-1][i-blockFirst<<(block-1)]
}

// slot is an object that all fits in memory.
type slot[T any] interface {
	*T
	Merge(from *T)
	AppendBinary(b []byte) []byte
	Decode(b []byte) (rest []byte, err error)
	Bytes() int // how much memory the object uses
}

func newSlots[T any, P slot[T]](*Store) objects { return &slots[T, P]{} }

// slotsOf returns the objects of a word, which are of type T. The zero handle needs none.
func slotsOf[T any, P slot[T]](s *Store, word int) *slots[T, P] {
	return s.objects[word].(*slots[T, P])
}

// find returns the object of a handle, nil if there is none.
func find[T any, P slot[T]](s *Store, word int, handle uint64) P {
	if handle == 0 {
		return nil
	}
	return slotsOf[T, P](s, word).of(handle)
}

// at returns the object of a handle. If there is none yet, it makes one and sets the handle.
func (s *slots[T, P]) at(handle *uint64) P {
	if *handle == 0 {
		if s.n == blockFirst<<len(s.blocks)-blockFirst {
			s.blocks = append(s.blocks, make([]T, blockFirst<<len(s.blocks)))
		}
		s.n++
		*handle = s.n
		s.size += int64(s.of(s.n).Bytes())
	}
	return s.of(*handle)
}

func (s *slots[T, P]) mergeFrom(into uint64, from objects, handle uint64) (uint64, error) {
	o := s.at(&into)
	before := o.Bytes()
	o.Merge(from.(*slots[T, P]).of(handle))
	s.size += int64(o.Bytes() - before)
	return into, nil
}

func (s *slots[T, P]) appendBinary(handle uint64, b []byte) ([]byte, error) {
	return s.of(handle).AppendBinary(b), nil
}

func (s *slots[T, P]) decode(b []byte) (handle uint64, err error) {
	o := s.at(&handle)
	before := o.Bytes()
	b, err = o.Decode(b)
	s.size += int64(o.Bytes() - before)
	if err == nil && len(b) > 0 {
		err = fmt.Errorf("%d bytes too many", len(b))
	}
	return handle, err
}

func (s *slots[T, P]) export(handle uint64) ([]byte, error) { return s.appendBinary(handle, nil) }

func (s *slots[T, P]) add(into *uint64, exported []byte) error {
	handle, err := s.decode(exported)
	if err != nil {
		return fmt.Errorf("%w: %w", errPart, err)
	}
	if *into == 0 {
		*into = handle
		return nil
	}
	*into, err = s.mergeFrom(*into, s, handle)
	return err
}

func (s *slots[T, P]) bytes() int64 { return s.size }
func (s *slots[T, P]) reset()       { s.blocks, s.n, s.size = nil, 0, 0 }
