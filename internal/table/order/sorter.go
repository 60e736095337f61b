package order

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/engine/anon"
	"github.com/thresh-dev/thresh/internal/table/spill"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// A Sorter keeps rows in one piece of memory: the rows grow from its beginning, and from its end a pair for each of
// them, the first eight bytes of its key and where it lies. Pairs are sorted, rows are not moved. When the memory is
// full, the rows are written to a temporary file in their order, as a run; Merge reads all runs at once.
//
// If only the first rows are wanted, the others are dropped now and then. The last row that is left is a bound: no
// row after it is wanted, whichever Sorter gets it.

// Options say what a Sorter may use.
type Options struct {
	MemBytes int64
	TempDir  spill.Dir
	First    int64  // only so many rows are wanted; 0 for all
	Bound    *Bound // shared by all sorters of the same rows
	Discard  bool   // only the speed is of interest: rows that do not fit are forgotten
}

// Bound is a key after which no row is wanted. It falls.
type Bound struct{ key atomic.Pointer[[]byte] }

// Key returns the bound, nil if there is none yet. The key does not change, and another bound has another key.
func (b *Bound) Key() *[]byte { return b.key.Load() }

func (b *Bound) lower(key []byte) {
	next := bytes.Clone(key)
	for {
		now := b.key.Load()
		if now != nil && bytes.Compare(*now, key) <= 0 || b.key.CompareAndSwap(now, &next) {
			return
		}
	}
}

// Sorter sorts the rows of one goroutine.
type Sorter struct {
	Options
	memory []byte
	used   int // of memory, by rows
	n      int // pairs at the end of memory
	file   *spill.File
	writer *spill.Writer
	runs   []run
	every  int64 // distance of marks in a run, in bytes
	marks  int   // bytes of all marks
}

// pair is a row to be sorted.
type pair struct {
	prefix uint64 // of the key
	at     uint64 // where the row lies in memory
}

const pairBytes = int(unsafe.Sizeof(pair{}))

// A row is kept as the lengths of its key and of its text, the key and the text.

var (
	memoryLeast = threshold.New("order: least memory for rows in bytes", 64<<10, 1<<10)
	writeBytes  = threshold.New("order: bytes written at once", 1<<20, 1)
	// sparesMax is how many rows are kept beyond twice those that are wanted before they are sorted.
	sparesMax = threshold.New("order: rows kept beyond twice those wanted", 2048, 1)
)

const (
	writeShare = 8  // the buffer of the writer takes 1/writeShare of the memory
	marksShare = 16 // marks take 1/marksShare of it
	marksOfRun = 1024
)

// New returns a Sorter.
func New(o Options) (*Sorter, error) {
	o.MemBytes = max(o.MemBytes, int64(memoryLeast.Get()))
	memory, err := anon.MapSmall(int(o.MemBytes - o.MemBytes/writeShare - o.MemBytes/marksShare))
	if err != nil {
		return nil, err
	}
	anon.Huge(memory)
	return &Sorter{Options: o, memory: memory, every: int64(max(len(memory)/marksOfRun, 1))}, nil
}

// LeastBytes is the least memory of a Sorter.
func LeastBytes() int64 { return int64(memoryLeast.Get()) }

// Close releases the memory and removes the temporary file.
func (s *Sorter) Close() (err error) {
	if s.file != nil {
		err = s.file.Close()
	}
	return errors.Join(err, s.unmap())
}

func (s *Sorter) unmap() error {
	memory := s.memory
	s.memory, s.used, s.n = nil, 0, 0
	return anon.Unmap(memory)
}

// pairs returns the pairs of the rows in memory.
func (s *Sorter) pairs() []pair {
	if s.n == 0 {
		return nil
	}
	return unsafe.Slice((*pair)(unsafe.Pointer(&s.memory[s.pairsAt()])), s.n)
}

// pairsAt is where the pairs begin. They are aligned.
func (s *Sorter) pairsAt() int { return len(s.memory)&^(pairBytes-1) - s.n*pairBytes }

// Wants reports whether a row may be among those that are wanted.
func (s *Sorter) Wants(key []byte) bool {
	if s.Bound == nil {
		return true
	}
	bound := s.Bound.Key()
	return bound == nil || bytes.Compare(key, *bound) <= 0
}

// Add adds a row. After an error the Sorter can only be closed.
func (s *Sorter) Add(key, text []byte) error {
	size := len(key) + len(text) + 2*binary.MaxVarintLen64
	if s.First > 0 && int64(s.n) >= 2*s.First+int64(sparesMax.Get()) {
		s.cut()
	}
	if s.used+size+pairBytes > s.pairsAt() {
		if err := s.makeRoom(size); err != nil {
			return err
		}
		if s.used+size+pairBytes > s.pairsAt() { // more than all the memory
			return s.addLong(key, text)
		}
	}
	at := s.used
	s.used += len(appendRow(s.memory[at:at:s.pairsAt()], key, text))
	s.n++
	s.pairs()[0] = pair{prefix(key), uint64(at)}
	return nil
}

// makeRoom makes room in memory for a row, and more than that.
func (s *Sorter) makeRoom(size int) error {
	if s.cut(); s.used+s.n*pairBytes+size <= len(s.memory)/2 {
		return nil
	}
	return s.spill()
}

// addLong makes a run of one row.
func (s *Sorter) addLong(key, text []byte) error {
	if s.Discard {
		return nil
	}
	w, err := s.newRun()
	if err == nil {
		err = w.add(key, appendRow(nil, key, text))
	}
	if err != nil {
		return err
	}
	return w.end()
}

func appendRow(b, key, text []byte) []byte {
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(len(key))), uint64(len(text)))
	return append(append(b, key...), text...)
}

// row is where a row lies in some bytes.
type row struct{ key, text, end int }

// rowAt returns where the row lies that begins at b[at]. complete is false if its end is not in b; size is then
// how many bytes are needed, as far as that is known.
func rowAt(b []byte, at int) (r row, size int, complete bool) {
	keyLen, n := binary.Uvarint(b[at:])
	if n <= 0 {
		return r, 2 * binary.MaxVarintLen64, false
	}
	textLen, m := binary.Uvarint(b[at+n:])
	if m <= 0 {
		return r, 2 * binary.MaxVarintLen64, false
	}
	r.key = at + n + m
	r.text = r.key + int(keyLen)
	r.end = r.text + int(textLen)
	return r, r.end - at, r.end <= len(b)
}

// keyAt returns the key of the row at a place in memory.
func (s *Sorter) keyAt(at uint64) []byte {
	r, _, _ := rowAt(s.memory, int(at))
	return s.memory[r.key:r.text]
}

// sort sorts the pairs.
func (s *Sorter) sort() []pair {
	pairs := s.pairs()
	slices.SortFunc(pairs, func(a, b pair) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return bytes.Compare(s.keyAt(a.at), s.keyAt(b.at))
	})
	return pairs
}

// cut drops the rows that are not wanted, and moves the others together.
func (s *Sorter) cut() {
	if s.First == 0 || int64(s.n) <= s.First {
		return
	}
	pairs := s.sort()[:s.First]
	if s.Bound != nil {
		s.Bound.lower(s.keyAt(pairs[len(pairs)-1].at))
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.at, b.at) })
	used := 0
	for i := range pairs {
		r, size, _ := rowAt(s.memory, int(pairs[i].at))
		copy(s.memory[used:], s.memory[r.end-size:r.end])
		pairs[i].at = uint64(used)
		used += size
	}
	s.used, s.n = used, len(pairs)
	copy(s.pairs(), pairs)
}

// spill writes the rows in memory as a run.
func (s *Sorter) spill() error {
	if !s.Discard && s.n > 0 {
		w, err := s.newRun()
		if err != nil {
			return err
		}
		for _, p := range s.sort() {
			r, size, _ := rowAt(s.memory, int(p.at))
			if err := w.add(s.memory[r.key:r.text], s.memory[r.end-size:r.end]); err != nil {
				return err
			}
		}
		if err := w.end(); err != nil {
			return err
		}
	}
	s.used, s.n = 0, 0
	return nil
}
