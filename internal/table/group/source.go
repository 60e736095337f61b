package group

import (
	"bytes"
	"encoding/binary"
	"sort"
)

// source produces groups in ascending order of their keys: those of a table in memory, or those
// of a run.
type source struct {
	table *Table

	pairs   []pair // the remaining groups in memory
	touched uint64 // result of touch, so that the compiler keeps its reads
	short   [shortBytes]byte

	run    *run // nil for groups in memory
	reader reader
	read   []uint64

	// The current group.
	key     []byte
	prefix  uint64 // the first eight bytes of the key, zeros after its end
	words   []uint64
	objects []byte // of a run: encoded objects
}

func newRunSource(t *Table, r *run, bufBytes int) *source {
	return &source{
		table:  t,
		run:    r,
		reader: reader{spill: t.spilled, off: r.off, end: r.end, buf: make([]byte, bufBytes+wordSlack)},
		read:   make([]uint64, t.layout.Words),
	}
}

// aheadPairs is how many entries are touched at once before they are needed. In key order,
// entries are scattered in memory; in a loop that does nothing else, the processor overlaps
// about a dozen cache misses.
const aheadPairs = 32

func (s *source) touch() {
	mem, stride := s.table.mem, s.table.stride
	sum := uint64(0)
	for _, p := range s.pairs[:min(len(s.pairs), aheadPairs)] {
		at := int(p.entry) * stride
		sum += mem[at] + mem[at+stride-1]
	}
	s.touched = sum
}

// next advances to the next group, and reports whether there is one.
func (s *source) next() (bool, error) {
	if s.run != nil {
		return s.nextOfRun()
	}
	if len(s.pairs) == 0 {
		return false, nil
	}
	t := s.table
	e := s.pairs[0].entry
	if len(s.pairs)%aheadPairs == 0 {
		s.touch()
	}
	s.pairs = s.pairs[1:]
	s.key = t.key(e, &s.short)
	s.prefix = t.keyWord(e, 0)
	s.words = t.mem[int(e)*t.stride+headWords:][:t.layout.Words]
	return true, nil
}

func (s *source) nextOfRun() (bool, error) {
	from, to, ok, err := s.reader.next()
	if !ok {
		return false, err
	}
	b := s.reader.buf
	at, keyLen := keyOf(b[from:to])
	from += at
	s.key = b[from : from+keyLen]
	s.prefix = prefixOf(b[from:], keyLen)
	from += keyLen
	from += takeWords(b[from:], s.read)
	s.words = s.read
	s.objects = b[from:to]
	return true, nil
}

// prefixOf returns the first eight of n bytes, big endian, zeros after the end. It may read
// wordSlack bytes from b, whatever n is.
func prefixOf(b []byte, n int) uint64 {
	x := binary.BigEndian.Uint64(b)
	return x &^ (1<<(64-8*min(n, 8)) - 1)
}

// restrict limits the source to keys in [from, to), nil for no bound, and advances to the first
// one. It reports whether there is one.
func (s *source) restrict(from, to []byte) (bool, error) {
	if s.run == nil {
		s.pairs = s.table.pairs
		if to != nil {
			s.pairs = s.pairs[:s.table.search(to)]
		}
		if from != nil {
			s.pairs = s.pairs[min(s.table.search(from), len(s.pairs)):]
		}
		return s.next()
	}
	off, end, marks := s.run.off, s.run.end, s.run.marks
	if from != nil {
		// If a mark's key equals from, reading starts exactly at that mark.
		if i := sort.Search(len(marks), func(i int) bool { return marks[i].key > string(from) }); i > 0 {
			off = marks[i-1].off
		}
	}
	if to != nil {
		if i := sort.Search(len(marks), func(i int) bool { return marks[i].key >= string(to) }); i < len(marks) {
			end = marks[i].off
		}
	}
	s.reader.reset(off, max(off, end))
	for {
		ok, err := s.next()
		if !ok || bytes.Compare(s.key, from) >= 0 {
			return ok && (to == nil || bytes.Compare(s.key, to) < 0), err
		}
	}
}

// search returns how many of the sorted groups have keys less than key.
func (t *Table) search(key []byte) int {
	var b [shortBytes]byte
	return sort.Search(len(t.pairs), func(i int) bool { return bytes.Compare(t.key(t.pairs[i].entry, &b), key) >= 0 })
}

// takeObjects sets the handles in words to the group's objects, in the store of its table.
func (s *source) takeObjects(words []uint64) error {
	if s.run == nil {
		return nil // words has the handles already
	}
	b := s.objects
	if len(b) == 0 {
		return nil // the handles are 0
	}
	for _, w := range s.table.layout.Objects {
		n := int(binary.LittleEndian.Uint32(b))
		b = b[4:]
		if n == 0 {
			words[w] = 0
			continue
		}
		handle, err := s.table.layout.Store.Decode(w, b[:n-1])
		if err != nil {
			return s.table.spilled.file.Failed("read back what was spilled to", err)
		}
		words[w] = handle
		b = b[n-1:]
	}
	return nil
}

// appendObjects appends the encoded objects of a group, and sets their handles to 0. It appends nothing if there
// are none.
func (t *Table) appendObjects(b []byte, words []uint64) (_ []byte, err error) {
	any := uint64(0)
	for _, w := range t.layout.Objects {
		any |= words[w]
	}
	if any == 0 {
		return b, nil
	}
	for _, w := range t.layout.Objects {
		at := len(b)
		b = append(b, 0, 0, 0, 0)
		if words[w] != 0 {
			if b, err = t.layout.Store.AppendBinary(w, words[w], b); err != nil {
				return nil, err
			}
			binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at-4)+1)
			words[w] = 0
		}
	}
	return b, nil
}

// merger merges the groups of several sources in ascending order of their keys, each key once.
// The sources form a heap with the lowest key on top.
type merger struct {
	layout Layout
	heap   []*source

	// The current group.
	key   []byte
	words []uint64
	store ObjectStore // holds the objects of words
}

// newMerger merges sources from their beginnings.
func newMerger(l Layout, sources []*source) (*merger, error) {
	m := &merger{layout: l, words: make([]uint64, l.Words)}
	for _, s := range sources {
		ok, err := s.next()
		if err != nil {
			return nil, err
		}
		if ok {
			m.push(s)
		}
	}
	m.order()
	return m, nil
}

func (m *merger) push(s *source) { m.heap = append(m.heap, s) }

// order makes the pushed sources a heap.
func (m *merger) order() {
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.sink(i)
	}
}

// next advances to the next group whose key is less than to, nil for no bound. It reports
// whether there is one.
func (m *merger) next(to []byte) (bool, error) {
	if len(m.heap) == 0 {
		return false, nil
	}
	s := m.heap[0]
	if to != nil && bytes.Compare(s.key, to) >= 0 {
		return false, nil
	}
	m.key = append(m.key[:0], s.key...)
	copy(m.words, s.words)
	m.store = s.table.layout.Store
	if len(m.layout.Objects) > 0 {
		if err := s.takeObjects(m.words); err != nil {
			return false, err
		}
	}
	prefix := s.prefix
	for {
		if err := m.advance(); err != nil {
			return false, err
		}
		if len(m.heap) == 0 || m.heap[0].prefix != prefix || !bytes.Equal(m.heap[0].key, m.key) {
			return true, nil
		}
		if err := m.add(m.heap[0]); err != nil {
			return false, err
		}
	}
}

// add merges the current group of s into the current group of the merger.
func (m *merger) add(s *source) error {
	m.layout.Merge(m.words, s.words)
	if len(m.layout.Objects) == 0 {
		return nil
	}
	if err := s.takeObjects(s.words); err != nil {
		return err
	}
	for _, w := range m.layout.Objects {
		if s.words[w] == 0 {
			continue
		}
		handle, err := m.store.MergeFrom(w, m.words[w], s.table.layout.Store, s.words[w])
		if err != nil {
			return err
		}
		m.words[w] = handle
	}
	return nil
}

// advance moves the top source to its next group and restores the heap.
func (m *merger) advance() error {
	ok, err := m.heap[0].next()
	if err != nil {
		return err
	}
	if !ok {
		last := len(m.heap) - 1
		m.heap[0] = m.heap[last]
		m.heap = m.heap[:last]
	}
	m.sink(0)
	return nil
}

// sink moves a source down to its place in the heap.
func (m *merger) sink(i int) {
	h := m.heap
	for {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(h); c++ {
			if before(h[c], h[least]) {
				least = c
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

func before(a, b *source) bool {
	if a.prefix != b.prefix {
		return a.prefix < b.prefix
	}
	return bytes.Compare(a.key, b.key) < 0
}
