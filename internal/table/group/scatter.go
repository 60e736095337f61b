package group

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// Enter is Lookup for the records of a batch that are then added to their groups at once. The groups of a
// table in any order may have been made for this batch alone. Leave must follow, with the same keys. After an error
// of either the table can only be closed.
func (t *Table) Enter(text []byte, keys records.Column, sel records.Selection, ids []uint32) error {
	t.mustLive()
	return t.died(t.enter(text, keys, sel, ids))
}

func (t *Table) enter(text []byte, keys records.Column, sel records.Selection, ids []uint32) error {
	s := t.parts
	if s == nil {
		return t.lookup(text, keys, sel, ids)
	}
	if s.direct == 0 {
		if n := len(s.moments); n < 2 && 4*t.groups >= (2+n)*t.most {
			s.moments = append(s.moments, moment{s.seen, t.groups})
		}
		s.seen += int64(len(sel))
		return t.lookup(text, keys, sel, ids)
	}
	if t.groups > 0 { // of single lookups
		if err := t.scatter(); err != nil {
			return err
		}
	}
	if err := t.economize(); err != nil {
		return err
	}
	width := t.layout.Words
	for j := range sel {
		ids[j] = uint32(j * width)
	}
	staged := t.mem[headWords:][:len(sel)*width]
	for n := copy(staged, t.layout.Init); n < len(staged); n *= 2 {
		copy(staged[n:], staged[:n])
	}
	t.groups, s.staged = len(sel), len(sel)
	s.direct = max(0, s.direct-int64(len(sel)))
	return nil
}

// Leave ends the batch of Enter.
func (t *Table) Leave(text []byte, keys records.Column, sel records.Selection) error {
	t.mustLive()
	return t.died(t.leave(text, keys, sel))
}

func (t *Table) leave(text []byte, keys records.Column, sel records.Selection) error {
	s := t.parts
	if s == nil || s.staged == 0 {
		return nil
	}
	slack := cap(text)-len(text) >= shortKeyBytes
	if !slack {
		last := uint32(0)
		for _, r := range sel {
			last = max(last, keys[r].Off)
		}
		text = withSlack(text, int(last))
	}
	t.objects = t.holdsObjects()
	s.shapes.forget()
	base, width, at := unsafe.Pointer(unsafe.SliceData(text)), t.layout.Words, headWords
	for _, r := range sel {
		key := unsafe.Slice((*byte)(unsafe.Add(base, int(keys[r].Off))), int(keys[r].Len))
		if err := t.send(key, t.mem[at:at+width], slack); err != nil {
			return err
		}
		at += width
	}
	t.groups, s.staged = 0, 0
	if t.layout.Store != nil && t.layout.Store.Bytes() > 0 {
		t.layout.Store.Reset()
	}
	return nil
}

// send adds a group to its partition. At least 16 bytes can be read at the key, whatever its length, and 32 if
// there is slack.
func (t *Table) send(key []byte, words []uint64, slack bool) (err error) {
	s := t.parts
	var objects []byte
	if t.objects {
		if objects, err = t.appendObjects(s.objects[:0], words); err != nil {
			return err
		}
		s.objects = objects
	}
	return s.put(t.partitionOf(unsafe.SliceData(key), len(key)), key, objects, words, slack)
}

// scatterAll sends all groups to their partitions, and leaves a small table.
func (t *Table) scatterAll() error {
	if err := t.scatter(); err != nil {
		return err
	}
	if t.parts.narrow() {
		t.lay(t.region[:t.parts.front])
		t.most = t.parts.front / (8*t.stride + slotBytes)
	}
	return nil
}

// scatter sends all groups to their partitions and empties the table.
func (t *Table) scatter() error {
	t.objects = t.holdsObjects()
	var short [shortKeyBytes]byte
	for e := range t.groups {
		if e%records.Max == 0 {
			t.parts.shapes.forget()
		}
		key, at := t.keyWithSlack(e+1, &short), (e+1)*t.stride+headWords
		if err := t.send(key, t.mem[at:at+t.layout.Words], cap(key) >= shortKeyBytes); err != nil {
			return err
		}
	}
	t.reset()
	return nil
}

// keyWithSlack returns the key of an entry, with a capacity of at least 16 bytes. It copies a short key to b.
func (t *Table) keyWithSlack(e int, b *[shortKeyBytes]byte) []byte {
	entry := t.mem[e*t.stride:][:headWords]
	if n := uint32(entry[2]); n <= shortBytes {
		binary.LittleEndian.PutUint64(b[:8], entry[0])
		binary.LittleEndian.PutUint64(b[8:16], entry[1])
		return b[:n]
	}
	return t.longKey(entry[2])
}

// overflow grows the table, which is full, or empties it and decides how to go on.
func (t *Table) overflow(n, keyBytes int) error {
	s := t.parts
	most := t.capacity()
	for t.most < most && t.expected() <= float64(most) {
		t.most, s.moments = min(2*t.most, most), s.moments[:0]
		if t.fits(n, keyBytes) {
			return nil
		}
	}
	if n := int64(t.groups); 2*s.seen < 3*n {
		s.direct = int64(directRounds.Get()) * n
	}
	s.seen, s.moments = 0, s.moments[:0]
	if err := t.scatterAll(); err != nil {
		return err
	}
	return t.economize()
}

// capacity returns how many groups fit in the memory of the table, if the keys are as long as those in it. Each needs
// a word more when the slots grow.
func (t *Table) capacity() int {
	used := (t.groups+1)*(t.stride+1) + len(t.mem) - t.arena
	return min((len(t.slotWords)-1)/2, int(float64(len(t.mem))*float64(t.groups)/float64(used)))
}

// expected estimates how many groups there will be, from the last two quarters of those that filled the table: the
// more there are in the table, the more records find theirs. Each quarter gives an estimate. If all groups are equally
// frequent, the two differ by chance only. If some are more frequent, the second one is higher, and the estimate would
// rise further as the table fills: that rise is extrapolated.
func (t *Table) expected() float64 {
	s := t.parts
	if len(s.moments) < 2 {
		return math.Inf(1)
	}
	now := moment{s.seen, t.groups}
	middle, middleError := s.moments[0].estimate(s.moments[1])
	late, lateError := s.moments[1].estimate(now)
	rise := late - middle - 2*math.Hypot(middleError, lateError)
	if !(rise > 0) {
		return late
	}
	slope := 2 * rise / float64(now.groups-s.moments[0].groups)
	if slope >= 1 {
		return math.Inf(1)
	}
	return (late - slope*float64(s.moments[1].groups+now.groups)/2) / (1 - slope)
}

// estimate returns how many groups there are if all are equally frequent, given how many records found theirs
// between two moments, and the standard error.
func (m moment) estimate(next moment) (groups, standardError float64) {
	seen := float64(next.seen - m.seen)
	found := seen - float64(next.groups-m.groups)
	if found <= 0 {
		return math.Inf(1), math.Inf(1)
	}
	groups = float64(m.groups+next.groups) / 2 * seen / found
	return groups, groups / math.Sqrt(found)
}

const (
	economyShare = 8 // with 1/economyShare of the chunks left, the batches until the next look at them have room
	economyMost  = 4 // if more than 1/economyMost of the records are left, it would have been faster to write them all
)

// economize merges the groups of each partition when the chunks are nearly used up, if that pays.
// The table must be empty.
func (t *Table) economize() error {
	s := t.parts
	if s.keep || s.merging || s.left() >= s.chunks()/economyShare {
		return nil
	}
	s.merging = true
	defer func() { s.merging = false }()
	g, groups := newGatherer(t), 0
	for i := range s.parts {
		// The table must not overflow: what is merged is in the chunks that it would need then.
		if s.keep = s.keep || t.objects || !t.provides(s.counts[i], s.bytes(i)); s.keep {
			break
		}
		c, before := s.cursor(i), s.counts[i]
		c.extents = nil
		s.parts[i].chunks, s.tails[i] = nil, 0 // the partition begins anew
		t.expect(groups)
		n, err := g.gather(t, c)
		if err != nil {
			return err
		}
		groups = t.groups
		s.free = append(s.free, c.chunks...)
		if err := t.scatter(); err != nil {
			return err
		}
		s.counts[i] -= n
		s.keep = economyMost*(s.counts[i]-(before-n)) > n
	}
	return nil
}

// provides reports whether the table certainly has the memory for the groups of so many records, which have so many
// bytes together. Each may take a padded key, and a word more while the slots grow.
func (t *Table) provides(count, bytes int64) bool {
	need := (count+records.Max+1)*int64(8*t.stride+slotBytes+16) + bytes + longBytesMin
	return need <= 8*int64(len(t.slotWords)-1+len(t.mem)) && count < int64(groupsMax.Get())
}
