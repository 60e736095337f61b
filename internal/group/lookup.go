package group

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/records"
)

// A lookup goes over some records several times: it reads the beginnings of all keys,
// hashes them and reads the slots that they fall on, and compares the entries that these
// name. Nothing in these loops depends on what was found, no branch and no record before: so
// the processor is at work on many records at once, and what one waits for from memory costs
// the others nothing. Keys that are not at once where they should be, new ones, and those
// longer than an entry holds are noted and looked for one by one.

// probesMax is how many records are looked up at once: what is noted about them stays in
// the L1 cache beside slots and entries.
const probesMax = 64

// probes are keys on their way.
type probes struct {
	key0, key1 [probesMax]uint64 // the first 16 bytes, little endian, zeros behind the end
	tagLen     [probesMax]uint64 // the upper half of the hash; the length
	slot       [probesMax]uint64 // the slot's word that it was sent to
	long       [probesMax]uint16 // which of the keys are longer than an entry holds
	missed     [probesMax]uint16 // which were not where they were sent to
}

// keyMasks keep the bytes of a key of 0 to 16 bytes and drop those behind. The other half
// is for longer ones.
var keyMasks = func() (m [2 * shortBytes][2]uint64) {
	for n := range m {
		m[n][0] = 1<<(8*min(n, 8)) - 1
		m[n][1] = 1<<(8*min(max(n-8, 0), 8)) - 1
	}
	return m
}()

// seeds makes the secrets of the hash of one (the steps of splitmix64, Vigna 2015).
func seeds(seed uint64) (s [8]uint64) {
	for i := range s {
		seed += 0x9e3779b97f4a7c15
		z := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		s[i] = z ^ z>>31
	}
	return s
}

// fold multiplies and adds up the halves of the product without carries: each bit of the
// result hangs on all bits of both factors (after wyhash, Wang Yi 2019).
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// Lookup puts into ids[j] the group of the key of record sel[j], making groups that are
// new. ids has at least the length of sel. If the table might run full within the batch it
// spills first: ids of earlier calls then mean nothing any more.
func (t *Table) Lookup(text []byte, keys records.Column, sel records.Selection, ids []uint32) error {
	// Keys are mostly different parts of the text, and then no more than that.
	if !t.fits(len(sel), len(text)) || len(keys) < records.Max || cap(text)-len(text) < shortBytes {
		keyBytes, last := 0, uint32(0)
		for _, r := range sel {
			s := keys[r]
			keyBytes += int(s.Len)
			last = max(last, s.Off)
		}
		if err := t.makeRoom(len(sel), keyBytes); err != nil {
			return err
		}
		text = withSlack(text, int(last))
	}
	if t.near() && len(keys) >= records.Max {
		return t.lookupNear(text, keys, sel, ids)
	}
	return t.lookupFar(text, keys, sel, ids)
}

// nearBytes is how much of a table is soon at hand, wherever it is looked at: a part of the
// L2 cache.
const nearBytes = 512 << 10

// near reports whether the table is so small that nothing of it has to be waited for.
func (t *Table) near() bool { return 8*int(t.slots)+8*t.stride*t.groups <= nearBytes }

// lookupNear looks keys up in one go, of which nearly all are where they should be: what
// there is to wait for is less than the notes about it would cost. The others are looked up
// as if the table were large.
func (t *Table) lookupNear(text []byte, keys records.Column, sel records.Selection, ids []uint32) error {
	for len(sel) > 0 {
		n := min(len(sel), probesMax)
		missed := t.quick(text, keys, sel[:n], ids[:n])
		if missed > 0 {
			if err := t.lookupMissed(text, keys, sel, ids, missed); err != nil {
				return err
			}
		}
		sel, ids = sel[n:], ids[n:]
		if missed > n/4 { // long keys, perhaps, of which there will be more
			return t.lookupFar(text, keys, sel, ids)
		}
	}
	return nil
}

// lookupMissed looks up what quick has missed.
func (t *Table) lookupMissed(text []byte, keys records.Column, sel records.Selection, ids []uint32, n int) error {
	var missed, some [probesMax]uint16
	var found [probesMax]uint32
	copy(missed[:n], t.probes.missed[:n])
	for i, j := range missed[:n] {
		some[i] = sel[j]
	}
	if err := t.lookupFar(text, keys, some[:n], found[:]); err != nil {
		return err
	}
	for i, j := range missed[:n] {
		ids[j] = found[i]
	}
	return nil
}

// quick puts into ids the groups of the keys that are at once where they should be, and
// notes which are not. It returns how many these are.
func (t *Table) quick(text []byte, keys records.Column, sel records.Selection, ids []uint32) (n int) {
	base, words := unsafe.Pointer(unsafe.SliceData(text)), unsafe.Pointer(unsafe.SliceData(t.slotWords))
	mem, stride, slots := unsafe.Pointer(unsafe.SliceData(t.mem)), 8*t.stride, t.slots
	seed0, seed1 := t.seeds[0], t.seeds[1]
	spans := unsafe.Pointer(unsafe.SliceData(keys[:records.Max]))
	ids = ids[:len(sel)]
	for j, r := range sel {
		s := *(*records.Span)(unsafe.Add(spans, int(r%records.Max)*int(unsafe.Sizeof(records.Span{}))))
		b, size := (*[shortBytes]byte)(unsafe.Add(base, int(s.Off))), uint64(s.Len)
		m := &keyMasks[size%uint64(len(keyMasks))]
		key0, key1 := binary.LittleEndian.Uint64(b[:8])&m[0], binary.LittleEndian.Uint64(b[8:])&m[1]
		tag := fold(key0^seed0, key1^(seed1+size)) >> 32
		at := (*[2]uint64)(unsafe.Add(words, tag*slots>>32*8))
		slot := at[0]
		if slot>>32 != tag {
			slot = at[1]
		}
		e := int(uint32(slot))
		entry := (*[headWords]uint64)(unsafe.Add(mem, e*stride))
		ids[j] = uint32(e) - 1
		if (entry[0]^key0)|(entry[1]^key1)|(entry[2]^size) != 0 { // never 0 for a long key, which lies elsewhere
			t.probes.missed[n&(probesMax-1)] = uint16(j)
			n++
		}
	}
	return n
}

// lookupFar looks keys up in steps, each for many keys.
func (t *Table) lookupFar(text []byte, keys records.Column, sel records.Selection, ids []uint32) error {
	p := t.probes
	for len(sel) > 0 {
		part := sel[:min(len(sel), probesMax)]
		long := p.load(text, keys, part)
		t.send(len(part))
		t.sendLong(text, keys, part, long)
		for _, j := range t.compare(ids[:len(part)]) {
			id, err := t.find(keys[part[j]].Of(text), int(j))
			if err != nil {
				return err
			}
			ids[j] = id
		}
		sel, ids = sel[len(part):], ids[len(part):]
	}
	return nil
}

// withSlack returns the text such that 16 bytes can be read from all places up to last.
func withSlack(text []byte, last int) []byte {
	text = text[:cap(text)] // the slack may lie behind the length
	if last+shortBytes > len(text) {
		text = append(make([]byte, 0, len(text)+shortBytes), text...)
		text = text[:cap(text)]
	}
	return text
}

// load reads the beginnings of keys, and returns which of them are long.
func (p *probes) load(text []byte, keys records.Column, sel records.Selection) []uint16 {
	base := unsafe.Pointer(unsafe.SliceData(text))
	n := 0
	for j, r := range sel {
		s := keys[r]
		b := (*[shortBytes]byte)(unsafe.Add(base, int(s.Off)))
		size := uint64(s.Len)
		long := (shortBytes - size) >> 63
		m := &keyMasks[(size|long*shortBytes)%uint64(len(keyMasks))]
		j &= probesMax - 1 // it is less: now the compiler knows
		p.key0[j] = binary.LittleEndian.Uint64(b[:8]) & m[0]
		p.key1[j] = binary.LittleEndian.Uint64(b[8:]) & m[1]
		p.tagLen[j] = size
		p.long[n&(probesMax-1)] = uint16(j)
		n += int(long)
	}
	return p.long[:n]
}

// send hashes the keys loaded and reads their slots. What it does with long ones, of which
// it knows the beginnings only, is not the last word.
func (t *Table) send(n int) {
	p, slots := t.probes, t.slots
	words := unsafe.Pointer(unsafe.SliceData(t.slotWords))
	seed0, seed1 := t.seeds[0], t.seeds[1]
	for j := range n {
		j &= probesMax - 1 // it is less: now the compiler knows
		size := p.tagLen[j]
		tag := fold(p.key0[j]^seed0, p.key1[j]^(seed1+size)) >> 32
		p.tagLen[j] = tag<<32 | size
		// The next slot is a second chance: keys that were pushed aside are mostly there.
		// Behind the last slot in use is a spare one.
		at := (*[2]uint64)(unsafe.Add(words, tag*slots>>32*8))
		slot := at[0]
		if at[0]>>32 != tag {
			slot = at[1]
		}
		p.slot[j] = slot
	}
}

// sendLong goes on with long keys where send left off.
func (t *Table) sendLong(text []byte, keys records.Column, sel records.Selection, long []uint16) {
	p := t.probes
	for _, j := range long {
		key := keys[sel[j]].Of(text)
		tag := t.hashRest(key, p.tagLen[j]>>32) >> 32
		p.tagLen[j] = tag<<32 | uint64(len(key))
		i := tag * t.slots >> 32
		slot := t.slotWords[i]
		if slot>>32 != tag {
			slot = t.slotWords[i+1]
		}
		p.slot[j] = slot
	}
}

// A long key is gone through in steps of 48 bytes behind the first 16, each three times 16
// bytes. Those that would begin less than 16 bytes before the end begin just there, and
// overlap others. So keys of any length up to 64 bytes take the same way, which is easy to
// foresee.
const stepBytes = 3 * shortBytes

// hashRest returns the hash of a long key, given what was made of its first 16 bytes.
func (t *Table) hashRest(key []byte, h uint64) uint64 {
	s, last := &t.seeds, len(key)-shortBytes
	for at := shortBytes; ; at += stepBytes {
		x0, x1 := wordsAt(key, at, last)
		y0, y1 := wordsAt(key, at+shortBytes, last)
		z0, z1 := wordsAt(key, at+2*shortBytes, last)
		h = fold((h+fold(x0^s[2], x1^s[3]))^s[0], (fold(y0^s[4], y1^s[5])+fold(z0^s[6], z1^s[7]))^s[1])
		if at+stepBytes >= len(key) {
			return h
		}
	}
}

// wordsAt returns 16 bytes of a key from at, or from last if that is less. It takes care to
// do so without a branch, which would be wrong half the time.
func wordsAt(key []byte, at, last int) (x, y uint64) {
	less := last - at
	b := (*[shortBytes]byte)(key[at+less&(less>>63):])
	return binary.LittleEndian.Uint64(b[:8]), binary.LittleEndian.Uint64(b[8:])
}

// equalRest reports whether two long keys of the same length are equal behind their first
// 16 bytes.
func equalRest(a, b []byte) bool {
	last := len(a) - shortBytes
	b = b[:len(a)]
	for at := shortBytes; at < len(a); at += stepBytes {
		differ := differAt(a, b, at, last) | differAt(a, b, at+shortBytes, last) | differAt(a, b, at+2*shortBytes, last)
		if differ != 0 {
			return false
		}
	}
	return true
}

// differAt returns 0 if the 16 bytes from at are equal, or from last if that is less.
func differAt(a, b []byte, at, last int) uint64 {
	a0, a1 := wordsAt(a, at, last)
	b0, b1 := wordsAt(b, at, last)
	return (a0 ^ b0) | (a1 ^ b1)
}

// compare puts into ids the groups that the slots name, and returns which of them are not
// those of the keys. A long key never equals what is in an entry: it lies elsewhere.
func (t *Table) compare(ids []uint32) []uint16 {
	p, stride := t.probes, 8*t.stride
	mem := unsafe.Pointer(unsafe.SliceData(t.mem))
	n := 0
	for j := range ids {
		k := j & (probesMax - 1)
		e := int(uint32(p.slot[k]))
		entry := (*[headWords]uint64)(unsafe.Add(mem, e*stride))
		differ := (entry[0] ^ p.key0[k]) | (entry[1] ^ p.key1[k]) | (entry[2] ^ uint64(uint32(p.tagLen[k])))
		ids[j] = uint32(e) - 1
		p.missed[n&(probesMax-1)] = uint16(j)
		if differ != 0 {
			n++
		}
	}
	return p.missed[:n]
}

// find looks for one key, and makes a group for it if there is none.
func (t *Table) find(key []byte, j int) (uint32, error) {
	p := t.probes
	tag, n := p.tagLen[j]>>32, uint64(len(key))
	i := tag * t.slots >> 32
	for {
		slot := t.slotWords[i]
		if slot == 0 {
			return t.insert(i, key, j)
		}
		if slot>>32 == tag {
			e := int(uint32(slot))
			entry := t.mem[e*t.stride : e*t.stride+headWords]
			if entry[0] == p.key0[j] && entry[1] == p.key1[j] && entry[2]&(1<<32-1) == n &&
				(n <= shortBytes || equalRest(key, t.longKey(entry[2]))) {
				return uint32(e) - 1, nil
			}
		}
		if i++; i == t.slots {
			i = 0
		}
	}
}

// longKey returns a key that lies in the arena, by the third word of its entry.
func (t *Table) longKey(place uint64) []byte {
	at := 8 * int(place>>32)
	return t.memText[at : at+int(uint32(place))]
}

// insert makes a group at an empty slot.
func (t *Table) insert(slot uint64, key []byte, j int) (uint32, error) {
	e := t.groups + 1
	place := uint64(len(key))
	if len(key) > shortBytes {
		size := (len(key) + 7) / 8
		if (e+1)*t.stride > t.arena-size {
			return 0, t.tooLong(len(key))
		}
		t.arena -= size
		t.mem[t.arena+size-1] = 0 // behind the end of a key are zeros
		copy(t.memText[8*t.arena:], key)
		place |= uint64(t.arena) << 32
	} else if (e+1)*t.stride > t.arena {
		return 0, t.tooLong(len(key))
	}
	entry := t.mem[e*t.stride : (e+1)*t.stride]
	entry[0], entry[1], entry[2] = t.probes.key0[j], t.probes.key1[j], place
	copy(entry[headWords:], t.layout.Init)
	t.slotWords[slot] = t.probes.tagLen[j]&^(1<<32-1) | uint64(e)
	t.groups = e
	return uint32(e) - 1, nil
}

func (t *Table) tooLong(n int) error {
	return fmt.Errorf("group by key: a key of %d bytes does not fit into a table of %d bytes; raise --mem", n, t.memBytes)
}

// makeRoom sees to it that so many records fit if all their keys are new and different.
// What does not fit into an empty table is found out key by key.
func (t *Table) makeRoom(n, keyBytes int) error {
	if n > records.Max {
		panic("thresh: bug: a batch of too many records")
	}
	if t.fits(n, keyBytes) || t.groups == 0 {
		return nil
	}
	return t.spill()
}

// fits makes the slots enough for n more groups, and reports whether all of these fit.
func (t *Table) fits(n, keyBytes int) bool {
	need := n*(t.stride+1) + keyBytes/8
	fits := need <= t.arena-(t.groups+1)*t.stride && t.growTo(t.groups+n)
	if fits && t.layout.Store != nil {
		fits = t.layout.Store.Bytes() <= t.memBytes-t.usedBytes()
	}
	return fits
}

// growTo makes the slots enough for so many groups, and reports whether it could. The slots
// in use are moved to memory that no entry has yet, and from there to where they belong
// now: as this follows from their tags, and in the same order, no entry is read, and both
// ways go straight through memory.
func (t *Table) growTo(groups int) bool {
	if uint64(2*groups) <= t.slots {
		return true
	}
	slotsMax := uint64(len(t.slotWords) - 1)
	free := t.mem[(t.groups+1)*t.stride : t.arena]
	if uint64(2*groups) > slotsMax || t.groups > len(free) {
		return false
	}
	n := 0
	for _, slot := range t.slotWords[:t.slots] {
		if slot != 0 {
			free[n] = slot
			n++
		}
	}
	t.slots = max(2*t.slots, uint64(2*groups))
	if t.slots > slotsMax/4*3 {
		t.slots = slotsMax // a last step that hardly helps would cost as much
	}
	clear(t.slotWords[:t.slots+1])
	for _, slot := range free[:n] {
		i := slot >> 32 * t.slots >> 32
		for t.slotWords[i] != 0 {
			if i++; i == t.slots {
				i = 0
			}
		}
		t.slotWords[i] = slot
	}
	return true
}
