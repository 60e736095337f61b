package group

import (
	"bytes"
	"encoding/binary"
	"sort"
)

// source gives groups in ascending order of their keys: those that a table holds, or those
// of a run.
type source struct {
	table *Table

	pairs   []pair // of groups in memory: what is left of them
	touched uint64 // what touch read, so that it does read
	short   [shortBytes]byte

	run    *run // nil for groups in memory
	reader reader
	read   []uint64

	// The group that the source stands at.
	key     []byte
	prefix  uint64 // the first bytes of the key, zeros behind its end
	words   []uint64
	objects []byte // of a run, as they were written
}

func newRunSource(t *Table, r *run, bufBytes int) *source {
	return &source{
		table:  t,
		run:    r,
		reader: reader{spill: t.spilled, off: r.off, end: r.end, buf: make([]byte, bufBytes+wordSlack)},
		read:   make([]uint64, t.layout.Words),
	}
}

// aheadPairs is how many entries are touched at once, before they are needed: in the order
// of keys they lie anywhere in memory, and in a loop that does nothing else a processor
// waits for a dozen of them together.
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

// next goes to the next group, if there is one.
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
	keyLen, n := binary.Uvarint(b[from:to])
	from += n
	s.key = b[from : from+int(keyLen)]
	s.prefix = prefixOf(b[from:], int(keyLen))
	from += int(keyLen)
	sizes := b[from : from+(len(s.read)+1)/2]
	from += len(sizes)
	for i := range s.read {
		n := int(sizes[i/2]>>(i%2*4)) & 15
		s.read[i] = binary.LittleEndian.Uint64(b[from:]) & (1<<(8*n) - 1)
		from += n
	}
	s.words = s.read
	s.objects = b[from:to]
	return true, nil
}

// prefixOf returns the first eight of n bytes; wordSlack bytes may be read behind them.
func prefixOf(b []byte, n int) uint64 {
	x := binary.BigEndian.Uint64(b)
	return x &^ (1<<(64-8*min(n, 8)) - 1)
}

// between lets the source give nothing but keys from one to before another, nil for no
// bound, and goes to the first of them.
func (s *source) between(from, to []byte) (bool, error) {
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
		// A record at a mark with this very key is the first that counts.
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

// search returns how many of the sorted groups have keys before this one.
func (t *Table) search(key []byte) int {
	var b [shortBytes]byte
	return sort.Search(len(t.pairs), func(i int) bool { return bytes.Compare(t.key(t.pairs[i].entry, &b), key) >= 0 })
}

// takeObjects puts into words handles of the group's objects in its table's store.
func (s *source) takeObjects(words []uint64) error {
	if s.run == nil {
		return nil // they are there
	}
	b := s.objects
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

// appendObjects appends the objects of a group as a run holds them. The handles are 0 then.
func (t *Table) appendObjects(b []byte, words []uint64) (_ []byte, err error) {
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

// merger gives the groups of several sources in ascending order of their keys, each key
// once. The sources are a heap, the lowest key on top.
type merger struct {
	layout Layout
	heap   []*source

	// The group that it stands at.
	key   []byte
	words []uint64
	store ObjectStore // of the words' objects
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

// order makes a heap of the sources pushed.
func (m *merger) order() {
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.sink(i)
	}
}

// next goes to the next group before the key to, or before the end if that is nil.
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

// add merges the group that s stands at into the one that the merger stands at.
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

// advance takes the top source to its next group and orders the heap.
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

// sink moves a source down to where it belongs.
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
