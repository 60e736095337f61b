package group

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/table/spill"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// The hash table of millions of groups fits in no cache, and every record of the input costs several
// cache misses. So where no order is asked for, a table keeps only as many groups as are fast, and
// when it is full, its groups go to partitions, by a hash of their keys: as records, one behind the
// other, in chunks of memory (shape.go). When all input has been read, the groups of one partition of all tables
// are put into a table that fits in the second-level cache. No two partitions have a key in common.
//
// Where so many of the latest records found their group when it is full that the memory should suffice for
// all groups, it grows instead: partitions would have to take every record that comes after.
//
// When few records found their group in the full table, the ones that follow are not looked up at
// all: each becomes a group of its own and goes to its partition. That is tried again now and then.
//
// When the chunks are used up, the groups of each partition are merged, if a first one shows that
// this leaves a quarter of them; otherwise chunks are appended to a temporary file, which is faster.

var (
	frontShare = threshold.New("group: part of the memory for the table before the partitions", 8, 2)
	poolShare  = threshold.New("group: part of the memory for partitions before a table in which groups repeat", 4, 2)
	partsBits  = threshold.New("group: bits of the hash that choose a partition", 9, 1)
	chunkRoom  = threshold.New("group: chunk of a partition", 8<<10, 16)

	// directRounds is how many times as many records as the full table had groups are not looked up.
	directRounds = threshold.New("group: records that are not looked up, for each group of a full table", 16, 1)
)

const (
	partsBitsMax  = 12
	frontGroups   = 256 << 10 // more groups before the first partition do not pay
	chunksPerPart = 4         // at least, if the memory allows it; otherwise there are fewer partitions
	flushedShare  = 4         // 1/flushedShare of the chunks is written when all are in use, not more than needed
	poolSlack     = 64        // after the last chunk, so that the end of a record can be read in words
)

// partitions holds the records of one table.
type partitions struct {
	pool   []byte // the table, the chunks, and poolSlack
	first  int    // the place of the first chunk
	front  int    // the same when the table is small
	chunk  int    // bytes of a chunk, a power of two
	bits   int    // there are 1<<bits partitions
	free   []int  // chunks that were used before
	unused int    // the place of the first chunk that was never used

	// tails holds the place in the pool of the next byte of each partition. If it is a multiple of
	// chunk, there is no room.
	tails  []int
	counts []int64 // records of each partition
	parts  []partition

	file       *spill.File // nil until the chunks were used up for the first time
	tempDir    spill.Dir
	writeBytes int // written at once
	flushed    int // the partition that is written next
	scratch    []byte
	objects    []byte // of a group
	shapes     shapes // of the records
	keep       bool   // a merge did not pay
	merging    bool   // economize is at work

	seen    int64    // records looked up since the table was empty
	moments []moment // when it was half and three quarters full
	direct  int64    // the next records, so many, are not looked up
	staged  int      // groups of the current batch that go to their partitions next
}

// moment is one in the filling of a table.
type moment struct {
	seen   int64 // records looked up
	groups int
}

// partition is a sequence of bytes: the extents in the file, then the chunks.
type partition struct {
	extents []extent
	chunks  []int // their places in the pool
}

type extent struct{ off, end int64 }

// frontBytes returns how much of the memory the table itself may use when the rest is for partitions, and
// how much as long as groups repeat, both in whole chunks, and the number of partitions in bits; 0 if there
// is too little memory for partitions.
func frontBytes(regionBytes int, groupBytes, least int64) (front, wide, bits int) {
	chunk := chunkSize()
	front = regionBytes / frontShare.Get()
	front = int(max(least, min(int64(front), frontGroups*groupBytes)))
	front = (front + chunk - 1) &^ (chunk - 1)
	wide = max(front, (regionBytes-regionBytes/poolShare.Get())&^(chunk-1))
	chunks := (regionBytes - wide - poolSlack) / chunkRoom.Get()
	for bits = min(partsBits.Get(), partsBitsMax); bits > 0 && chunks < chunksPerPart<<bits; bits-- {
	}
	return front, wide, bits
}

// chunkSize returns how many bytes a chunk has.
func chunkSize() int {
	chunk := 16
	for 2*chunk <= chunkRoom.Get() {
		chunk *= 2
	}
	return chunk
}

// newPartitions returns partitions in memory of which the table uses the first bytes: so many when it is
// small, and so many at present.
func newPartitions(pool []byte, front, wide, bits, ioBytes int, o *Options) *partitions {
	n := 1 << bits
	return &partitions{pool: pool, first: wide, unused: wide, front: front, chunk: chunkSize(), bits: bits,
		shapes: newShapes(o.Layout.Init), tempDir: o.TempDir, writeBytes: min(writesMost.Get(), ioBytes/2),
		tails: make([]int, n), counts: make([]int64, n), parts: make([]partition, n)}
}

// narrow takes what the table uses beyond its front as chunks. It reports whether there was anything.
func (s *partitions) narrow() bool {
	if s.first == s.front {
		return false
	}
	for at := s.front; at < s.first; at += s.chunk {
		s.free = append(s.free, at)
	}
	s.first = s.front
	return true
}

// partitionOf returns the partition of a key of n bytes, of which at least 16 can be read.
func (t *Table) partitionOf(key *byte, n int) uint16 {
	return uint16(spread(&t.seeds, unsafe.Pointer(key), n) >> (64 - t.parts.bits))
}

// spread is the hash that chooses partitions. It must not depend on the hash that chooses slots.
func spread(s *[8]uint64, key unsafe.Pointer, n int) uint64 {
	m := &keyMasks[min(n, shortBytes)]
	first := (*[shortBytes]byte)(key)
	last := (*[shortBytes]byte)(unsafe.Add(key, max(n-shortBytes, 0)))
	h := fold(binary.LittleEndian.Uint64(first[:8])&m[0]^s[2], binary.LittleEndian.Uint64(first[8:])&m[1]^(s[3]+uint64(n)))
	h = fold(h^binary.LittleEndian.Uint64(last[:8])&m[0], binary.LittleEndian.Uint64(last[8:])&m[1]^s[4])
	for at := shortBytes; at < n-shortBytes; at += shortBytes {
		b := (*[shortBytes]byte)(unsafe.Add(key, at))
		h = fold(h^binary.LittleEndian.Uint64(b[:8]), binary.LittleEndian.Uint64(b[8:])^s[5])
	}
	return h
}

// put adds a record. Slack says that 32 bytes can be read at the key, whatever its length.
func (s *partitions) put(part uint16, key, objects []byte, words []uint64, slack bool) error {
	s.counts[part]++
	short := slack && len(key) <= shortKeyBytes && len(objects) == 0
	if at := s.tails[part]; short && -at&(s.chunk-1) >= s.shapes.most {
		n := s.shapes.putShort(unsafe.Pointer(&s.pool[at]), unsafe.Pointer(unsafe.SliceData(key)), len(key), words)
		if s.tails[part] = at + n; n > 0 {
			return nil
		}
	}
	code := uint8(noShape)
	if len(objects) == 0 && len(key) <= shapedKey && len(words) <= shapedWords {
		code = s.shapes.code(s.shapes.kindsOf(words))
	}
	b, n := s.room(1+recordMost(len(key), len(words), len(objects))), 0
	if code != noShape {
		n = s.shapes.put(b, code, key, words)
	} else {
		b[0] = noShape
		n = 1 + putRecord(b[1:], key, words, objects)
	}
	return s.append(int(part), b[:n])
}

// room returns memory for a record that is then appended.
func (s *partitions) room(n int) []byte {
	s.scratch = slices.Grow(s.scratch[:0], n)[:n]
	return s.scratch
}

// shortKeyBytes: a key up to that length is copied without a loop.
const shortKeyBytes = 32

// copyShortKey copies all bytes in words: the compiler calls a function for an assignment of arrays.
func copyShortKey(to, from *[shortKeyBytes]byte) {
	a, b := binary.LittleEndian.Uint64(from[:8]), binary.LittleEndian.Uint64(from[8:16])
	c, d := binary.LittleEndian.Uint64(from[16:24]), binary.LittleEndian.Uint64(from[24:])
	binary.LittleEndian.PutUint64(to[:8], a)
	binary.LittleEndian.PutUint64(to[8:16], b)
	binary.LittleEndian.PutUint64(to[16:24], c)
	binary.LittleEndian.PutUint64(to[24:], d)
}

// append appends a record to a partition, in as many chunks as needed. All of them are provided before its first
// byte is written: what goes to the file ends with a whole record, as the chunks are merged alone. A record that
// is longer than all chunks goes to the file at once.
func (s *partitions) append(part int, record []byte) error {
	need := (len(record) + s.chunk - 1) / s.chunk
	if s.left() < need {
		if err := s.flush(max(need, s.chunks()/flushedShare+1)); err != nil {
			return err
		}
	}
	if s.left() < need {
		off, err := s.file.Append(record)
		s.parts[part].extents = append(s.parts[part].extents, extent{off, off + int64(len(record))})
		return err
	}
	for len(record) > 0 {
		at := s.tails[part]
		room := -at & (s.chunk - 1)
		if room == 0 {
			at, room = s.take(), s.chunk
			s.parts[part].chunks = append(s.parts[part].chunks, at)
		}
		n := copy(s.pool[at:at+room], record)
		record = record[n:]
		s.tails[part] = at + n
	}
	return nil
}

// take returns the place of a chunk that is not in use. There must be one.
func (s *partitions) take() int {
	if n := len(s.free); n > 0 {
		at := s.free[n-1]
		s.free = s.free[:n-1]
		return at
	}
	at := s.unused
	s.unused += s.chunk
	return at
}

// left returns how many chunks are not in use.
func (s *partitions) left() int {
	return len(s.free) + (len(s.pool)-poolSlack-s.unused)/s.chunk
}

// writesMost is how much is written to the file at once: the more, the fewer pages are written in two parts.
var writesMost = threshold.New("group: bytes of partitions written at once", 1<<20, 1)

// flush appends partitions to the file, one after the other, until so many chunks are not in use.
func (s *partitions) flush(enough int) (err error) {
	if s.file == nil {
		if s.file, err = spill.New(s.tempDir, "thresh-parts-*", "groups"); err != nil {
			return err
		}
	}
	s.keep = false
	w := s.file.Writer(s.writeBytes)
	for range s.parts {
		i := s.flushed
		s.flushed = (s.flushed + 1) & (len(s.parts) - 1)
		p := &s.parts[i]
		if len(p.chunks) == 0 {
			continue
		}
		off := w.End()
		for j, at := range p.chunks {
			n := s.chunk
			if j == len(p.chunks)-1 {
				n = s.used(s.tails[i])
			}
			if err := w.Write(s.pool[at : at+n]); err != nil {
				return err
			}
		}
		p.extents = append(p.extents, extent{off, w.End()})
		s.drop(i)
		if s.left() >= enough {
			break
		}
	}
	return w.Flush()
}

// chunks returns how many chunks there are.
func (s *partitions) chunks() int { return (len(s.pool) - poolSlack - s.first) / s.chunk }

// used returns how many bytes of the last chunk of a partition are used, which has any.
func (s *partitions) used(tail int) int {
	if n := tail & (s.chunk - 1); n > 0 {
		return n
	}
	return s.chunk
}

// drop frees the chunks of a partition.
func (s *partitions) drop(part int) {
	p := &s.parts[part]
	s.free = append(s.free, p.chunks...)
	p.chunks = p.chunks[:0]
	s.tails[part] = 0
}

// bytes returns the length of a partition.
func (s *partitions) bytes(part int) int64 {
	n := int64(len(s.parts[part].chunks)) * int64(s.chunk)
	for _, e := range s.parts[part].extents {
		n += e.end - e.off
	}
	return n
}

func (s *partitions) close() error {
	if s == nil || s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	return f.Close()
}
