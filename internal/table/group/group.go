// Package group maps keys to groups, and keeps some words of state for each group. Every worker
// has a table of its own, without locks; all tables are merged when the workers have ended.
//
// A table uses memory that is reserved once. Its slots form a hash table with linear probing,
// and point to entries. An entry holds the first 16 bytes of the key, the key's length, and
// the state; with little state it fits in one cache line. A longer key is stored completely in
// an arena. Entries never move, so the position of its entry identifies a group.
//
// A full table is sorted by key, written to a temporary file as a run, and emptied. Merge reads
// the runs and the remaining entries of all tables side by side in key order, and combines
// the groups of equal keys. Groups in any order go to partitions instead, see partition.go, and are
// visited by Each. So the answer is exact with any amount of memory, and does not
// depend on the number of tables or on which table got which records.
package group

import (
	"fmt"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/engine/anon"
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/spill"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Layout describes the state of a group.
type Layout struct {
	Words int      // 64-bit words of state per group
	Init  []uint64 // the initial value of each word; its length is Words

	// Merge adds the words from, of the same key in another table or run, to into. The order of
	// the calls must not matter, and Init plus any words are these words. It does not touch the
	// words that are handles, which are 0 in Init.
	Merge func(into, from []uint64)

	Objects []int       // which of the words are handles of objects; a handle of 0 is no object
	Store   ObjectStore // holds the objects; nil when Objects is empty
}

// ObjectStore holds a worker's objects that do not fit in words: sketches, long sums. The
// handle of an object is never 0, and is valid in its own store only.
type ObjectStore interface {
	// MergeFrom adds an object of another store, or of this one, to the object into of this
	// store. If into is 0, it makes a new object. It returns the handle of the merged object;
	// the added object does not change.
	MergeFrom(word int, into uint64, from ObjectStore, handle uint64) (uint64, error)
	// AppendBinary appends an encoding from which Decode of the same store restores the object.
	// The store may keep part of the object elsewhere.
	AppendBinary(word int, handle uint64, b []byte) ([]byte, error)
	// Decode restores an object. It does not keep b.
	Decode(word int, b []byte) (handle uint64, err error)
	// Bytes returns how much memory the objects use.
	Bytes() int64
	// Reset drops all objects.
	Reset()
}

// Options configures a table.
type Options struct {
	Layout   Layout
	MemBytes int64 // bound on slots, entries, keys, buffers and objects together
	TempDir  spill.Dir
	Seed     uint64 // of the hash; a random seed prevents inputs crafted to collide
	AnyOrder bool   // the groups are visited by Each, not by Merge
}

const (
	headWords = 3 // of an entry: 16 bytes of the key; the key's length and, if it is long, its position

	shortBytes = 16 // the longest key that is stored in its entry alone

	slotsFirst = 4096 // initial slots: 32 KiB, enough for a batch of new groups only

	// slotBytes is the slot memory per group. Slots are at most half full, so a group has two
	// of 8 bytes: also room for a pair, so the entries can be sorted in the memory of the slots.
	slotBytes = 16

	ioShare    = 8 // 1/ioShare of the memory is for the buffers of spilling and merging
	ioBytesMin = 64 << 10

	// longBytesMin is the least memory for long keys, beside that for the groups of a batch. The
	// keys of a batch take some dozen KiB.
	longBytesMin = 64 << 10

	memBytesMax = 32 << 30 // positions are 32 bits and count words
)

// groupsMax is how many groups a table may hold before it spills. Only tests reach it: they
// lower it, so that tables spill with a few groups.
var groupsMax = threshold.New("group: groups in memory", 1<<30, 1)

// Table maps keys to groups. It belongs to one goroutine at a time. Make one with New.
type Table struct {
	layout   Layout
	memBytes int64
	ioBytes  int // of buffers, when spilling or merging
	seeds    [8]uint64
	kernels  kernels // how keys are hashed and compared

	region    []byte   // slots, then entries that grow upwards and the arena that grows downwards; then partitions
	slotWords []uint64 // the maximum of slots: tag<<32 | position of the entry in mem, 0 if empty
	slots     uint64   // how many of slotWords the hash table uses now
	mem       []uint64 // entries and arena; entry 0 is never used
	memText   []byte   // mem as bytes
	stride    int      // words per entry
	groups    int
	arena     int // the lowest word of mem that holds a long key
	probes    *probes
	manyLong  bool     // of the keys that were looked up last
	spilled   *spilled // nil until the first spill
	objects   bool     // some spilled groups had objects
	tempDir   spill.Dir
	pairs     []pair // the entries in key order, after sort; nil before

	parts       *partitions // of a table in any order; nil for others
	most        int         // groups with which the table is full, if the memory has room for more; 0 for no such number
	regionBytes int         // of the region, for the table and its partitions
	gathers     bool        // the table takes the groups of partitions
	laid        []byte      // of the region, what is not for partitions
	earlier     int         // groups before the last Lookup made new ones

	// dead is set by an error of Lookup, Enter, Leave, Each or Merge. Memory may then be sorted in place, half
	// written or given back, so such a table can only be closed.
	dead bool
}

// mustLive panics if the table failed before. Going on with it would read memory that means something else.
func (t *Table) mustLive() {
	if t.dead {
		panic("thresh: bug: a table of groups is used after an error")
	}
}

// died notes an error, and returns it.
func (t *Table) died(err error) error {
	t.dead = t.dead || err != nil
	return err
}

// anyDied notes an error of several tables, and returns it.
func anyDied(tables []*Table, err error) error {
	for _, t := range tables {
		_ = t.died(err)
	}
	return err
}

// New returns an empty table. The caller must close it.
func New(o Options) (*Table, error) {
	if len(o.Layout.Init) != o.Layout.Words || (o.Layout.Store == nil) != (len(o.Layout.Objects) == 0) {
		panic("thresh: bug: a layout of groups that contradicts itself")
	}
	t := &Table{layout: o.Layout, memBytes: min(o.MemBytes, memBytesMax), tempDir: o.TempDir,
		seeds: seeds(o.Seed), kernels: kernel.Choose(variants).Func}
	t.stride = headWords + o.Layout.Words
	if t.stride == 3 || t.stride == 7 {
		t.stride++ // half a cache line, or one
	}
	groupBytes := int64(8*t.stride + slotBytes)
	t.ioBytes = int(max(ioBytesMin, t.memBytes/ioShare))
	need := (records.Max+1)*groupBytes + longBytesMin + ioBytesMin
	if t.memBytes < need {
		return nil, fmt.Errorf("group by key: a table of %d bytes is too small: it needs %d; raise Run.MemoryBytes",
			o.MemBytes, need)
	}
	regionBytes := int(t.memBytes) - t.ioBytes
	region, err := anon.MapSmall(regionBytes)
	if err != nil {
		return nil, fmt.Errorf("group by key: %w", err)
	}
	t.region, t.regionBytes = region, regionBytes // the mapping is rounded up to whole pages
	front := regionBytes
	if o.AnyOrder {
		least := need - ioBytesMin
		if small, wide, bits := frontBytes(regionBytes, groupBytes, least); bits > 0 {
			front, t.most = wide, int(int64(small)/groupBytes)
			t.parts = newPartitions(region[:regionBytes], small, wide, bits, t.ioBytes, &o)
		}
	}
	t.lay(region[:front])
	return t, nil
}

// lay makes an empty table in memory, whatever its content.
func (t *Table) lay(region []byte) {
	t.laid = region
	groupBytes := 8*t.stride + slotBytes
	slotsMax := 2 * (len(region) / groupBytes)
	slotsBytes := (8*(slotsMax+1) + 63) &^ 63
	t.slotWords = words(region[:slotsBytes])[:slotsMax+1]
	t.slots = uint64(min(slotsFirst, slotsMax))
	t.memText = region[slotsBytes : len(region)&^7]
	t.mem = words(t.memText)
	if t.probes == nil {
		t.probes = new(probes)
	}
	t.reset()
}

// words returns memory that is aligned to 8 bytes as words.
func words(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// reset empties the table.
func (t *Table) reset() {
	clear(t.slotWords[:t.slots+1])
	t.mem[headWords-1] = ^uint64(0) // a length that no key has: entry 0 equals no key
	t.groups = 0
	t.arena = len(t.mem)
	t.pairs = nil
	if t.layout.Store != nil {
		t.layout.Store.Reset()
	}
}

// usedBytes returns how much memory the groups and the partitions use, without objects.
func (t *Table) usedBytes() int64 {
	n := 8*int64(t.slots) + 8*int64((t.groups+1)*t.stride) + 8*int64(len(t.mem)-t.arena)
	if s := t.parts; s != nil {
		n += int64(s.chunks()-s.left()) * int64(s.chunk)
	}
	return n
}

// IsWhole reports whether all groups are in the table's memory.
func (t *Table) IsWhole() bool {
	return !t.parts.any() && (t.spilled == nil || len(t.spilled.runs) == 0)
}

// Len returns how many groups the table holds in memory.
func (t *Table) Len() int { return t.groups }

// States returns the words of all groups in memory: those of group id are
// words[id : id+Layout.Words]. They may be changed, and are valid until the next Lookup.
func (t *Table) States() []uint64 {
	t.mustLive()
	return t.mem[headWords : (t.groups+1)*t.stride]
}

// Close frees memory and temporary files. A second call does nothing.
func (t *Table) Close() error {
	err := anon.Unmap(t.region)
	t.region, t.laid, t.slotWords, t.mem, t.memText, t.pairs, t.groups = nil, nil, nil, nil, nil, nil, 0
	if t.spilled != nil {
		if closeErr := t.spilled.file.Close(); err == nil {
			err = closeErr
		}
		t.spilled = nil
	}
	if closeErr := t.parts.close(); err == nil {
		err = closeErr
	}
	return err
}
