// Package group maps keys to groups, and keeps for each group some words of state: one
// table a worker, without locks, and a merge of all tables when the workers have ended.
//
// A table lives in memory that is reserved once. Slots, a hash table with linear probing,
// say which entry may hold a key; an entry has the first 16 bytes of the key, its length,
// and the state behind them, on one cache line where it is short. Longer keys lie in full
// in an arena. Entries never move, so a group's id is the place of its entry.
//
// A table that runs full is sorted by key and written, as a run, to a temporary file, and
// begins anew. Merge reads the runs and what the tables still hold side by side in the
// order of their keys, and adds up what has the same key. So the answer is exact in any
// memory, and the same whatever the number of tables and whatever went to which.
package group

import (
	"fmt"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/engine/anon"
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Layout says what is kept for a group beside its key.
type Layout struct {
	Words int      // 64-bit words of state a group
	Init  []uint64 // what they begin as: as many

	// Merge adds the words of the same key from elsewhere to into. In which order it is
	// called must not matter. It leaves the words that are objects alone.
	Merge func(into, from []uint64)

	Objects []int       // which of the words are handles of objects, 0 for none yet
	Store   ObjectStore // what holds them: nil when Objects is empty
}

// ObjectStore holds a worker's objects that do not fit in words: sketches, long sums. A
// handle is never 0, and means something in its own store only.
type ObjectStore interface {
	// MergeFrom adds an object of another store, or of this one, to an object of this one,
	// or to none if into is 0. It returns the handle of the merged object; the object that
	// was added is left as it is.
	MergeFrom(word int, into uint64, from ObjectStore, handle uint64) (uint64, error)
	// AppendBinary appends what Decode of the same store makes the same object from. The store
	// may keep a part of it elsewhere.
	AppendBinary(word int, handle uint64, b []byte) ([]byte, error)
	// Decode makes an object; it does not keep b.
	Decode(word int, b []byte) (handle uint64, err error)
	// Bytes is how much memory the objects take.
	Bytes() int64
	// Reset drops all objects.
	Reset()
}

// Options says what a table is made for.
type Options struct {
	Layout   Layout
	MemBytes int64  // bound on slots, entries, keys and buffers, and for objects what these leave
	TempDir  string // where to spill; empty for the system's choice
	Seed     uint64 // of the hash, so that nobody can choose keys that collide
}

const (
	headWords = 3 // of an entry: 16 bytes of the key; its length, and where it lies if it is longer

	shortBytes = 16 // the longest key that is kept in its entry alone

	slotsFirst = 4096 // at the beginning: 32 KiB, for a batch of nothing but new groups

	// slotBytes is what a group has in slots, which are at most half full: room for a
	// pair, so that the memory of the slots is enough to sort the entries in.
	slotBytes = 16

	ioShare    = 8 // a part in so many of the memory is for buffers of spilling and merging
	ioBytesMin = 64 << 10

	// longBytesMin is what there must be beside the groups of a batch for long keys, of which
	// a batch holds some dozen KiB.
	longBytesMin = 64 << 10

	memBytesMax = 32 << 30 // places are 32 bits, in words
)

// groupsMax is how many groups there may be before a table spills. It is never reached but in
// tests, which have tables spill of a few groups.
var groupsMax = threshold.New("group: groups in memory", 1<<30, 1)

// Table maps keys to groups. It belongs to one goroutine at a time. Make one with New.
type Table struct {
	layout   Layout
	memBytes int64
	ioBytes  int // of buffers, when spilling or merging
	seeds    [8]uint64
	form     forms // how keys are hashed and compared

	region    []byte   // slots, then entries from below and the arena from above
	slotWords []uint64 // all that there may be: tag<<32 | place of the entry in mem, 0 for empty
	slots     uint64   // how many of them are in use
	mem       []uint64 // entries and arena; entry 0 is nobody's
	memText   []byte   // the same as bytes
	stride    int      // words an entry
	groups    int
	arena     int // the lowest word of mem that holds a long key
	probes    *probes
	spilled   *spilled // nil until something was spilled
	objects   bool     // some of what was spilled had objects
	tempDir   string
	pairs     []pair // the entries in the order of their keys, once that is asked for
}

// New returns an empty table. Close it.
func New(o Options) (*Table, error) {
	if len(o.Layout.Init) != o.Layout.Words || (o.Layout.Store == nil) != (len(o.Layout.Objects) == 0) {
		panic("thresh: bug: a layout of groups that contradicts itself")
	}
	t := &Table{layout: o.Layout, memBytes: min(o.MemBytes, memBytesMax), tempDir: o.TempDir,
		seeds: seeds(o.Seed), form: kernel.Choose(variants).Func}
	t.stride = headWords + o.Layout.Words
	if t.stride == 3 || t.stride == 7 {
		t.stride++ // half a cache line, or one
	}
	groupBytes := int64(8*t.stride + slotBytes)
	t.ioBytes = int(max(ioBytesMin, t.memBytes/ioShare))
	need := (records.Max+1)*groupBytes + longBytesMin + ioBytesMin
	if t.memBytes < need {
		return nil, fmt.Errorf("group by key: a table of %d bytes is too small: it needs %d; raise --mem", o.MemBytes, need)
	}
	regionBytes := int(t.memBytes) - t.ioBytes
	region, err := anon.Map(regionBytes)
	if err != nil {
		return nil, fmt.Errorf("group by key: %w", err)
	}
	t.region = region
	t.lay(region[:regionBytes]) // whole pages may be more
	return t, nil
}

// lay makes an empty table of memory that is all zeros.
func (t *Table) lay(region []byte) {
	groupBytes := 8*t.stride + slotBytes
	slotsMax := 2 * (len(region) / groupBytes)
	slotsBytes := (8*(slotsMax+1) + 63) &^ 63
	t.slotWords = words(region[:slotsBytes])[:slotsMax+1]
	t.slots = uint64(min(slotsFirst, slotsMax))
	t.memText = region[slotsBytes : len(region)&^7]
	t.mem = words(t.memText)
	t.probes = new(probes)
	t.reset()
}

// words returns memory, which lies at a multiple of 8, as words.
func words(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// reset empties the table.
func (t *Table) reset() {
	clear(t.slotWords[:t.slots+1])
	t.mem[headWords-1] = ^uint64(0) // no key is so long
	t.groups = 0
	t.arena = len(t.mem)
	t.pairs = nil
	if t.layout.Store != nil {
		t.layout.Store.Reset()
	}
}

// usedBytes is how much memory the table's groups take, without their objects.
func (t *Table) usedBytes() int64 {
	return 8*int64(t.slots) + 8*int64((t.groups+1)*t.stride) + 8*int64(len(t.mem)-t.arena)
}

// Len returns how many groups the table holds in memory.
func (t *Table) Len() int { return t.groups }

// States returns the words of all groups in memory: those of group id are
// words[id : id+Layout.Words]. They may be changed, and are valid until the next Lookup.
func (t *Table) States() []uint64 { return t.mem[headWords : (t.groups+1)*t.stride] }

// Groups returns a number that the groups of all tables together are not more than.
func Groups(tables []*Table) int64 {
	var n int64
	for _, t := range tables {
		n += int64(t.groups)
		if t.spilled != nil {
			n += t.spilled.groups()
		}
	}
	return n
}

// Close gives memory and temporary files back. A second call does nothing.
func (t *Table) Close() error {
	err := anon.Unmap(t.region)
	t.region, t.slotWords, t.mem, t.memText, t.pairs, t.groups = nil, nil, nil, nil, nil, 0
	if t.spilled != nil {
		if closeErr := t.spilled.file.Close(); err == nil {
			err = closeErr
		}
		t.spilled = nil
	}
	return err
}
