package histogram

import "github.com/thresh-dev/thresh/internal/threshold"

// narrow counts values of 8 and 16 bits, each in a counter of its own; 16-bit values are read as
// little endian, whatever their type.
//
// Neighbours go to different tables of 32-bit counters, which are added to the counts before any can
// overflow. (Counters of 8 bits for 16-bit values, with a carry, were slower: 1.4 times for text.)
//
// If most values of a section are the same, the same few counters would be increased again and
// again, each time after the last has been stored. A sample tells, and a kernel lists the others.
type narrow struct {
	counts  []uint64
	bytes   *[8][1 << 8]uint32
	words   *[2][1 << 16]uint32
	pending uint64 // values in the tables, at most
	others  others // of a section
	table   *compaction
	// Sections that are counted without a look at a sample: see unlookedSections.
	unlooked int
}

func newNarrow(width int) *narrow {
	if width == 1 {
		return &narrow{counts: make([]uint64, 1<<8), bytes: new([8][1 << 8]uint32), table: newCompaction()}
	}
	return &narrow{counts: make([]uint64, 1<<16), words: new([2][1 << 16]uint32), table: newCompaction()}
}

const (
	blockBytes    = 64
	sectionBlocks = 64 // one bit each in a word
	sectionBytes  = sectionBlocks * blockBytes
)

// others has room for the bytes of a section, and for the vector that a kernel writes behind them.
type others [sectionBytes + othersSlack]byte

const othersSlack = 16

// compaction holds, for each mask of eight bytes, a shuffle that moves the bytes of the mask to the
// front.
type compaction [1 << 8][16]uint8

func newCompaction() *compaction {
	c := new(compaction)
	for mask := range c {
		front := 0
		for place := range uint8(8) {
			if mask>>place&1 != 0 {
				c[mask][front] = place
				front++
			}
		}
	}
	return c
}

// count counts the values of at most one chunk.
func (n *narrow) count(b []byte, k *kernels) {
	const pendingMost = 1<<32 - 1
	if n.pending += uint64(len(b)); n.pending > pendingMost {
		n.flush()
		n.pending = uint64(len(b))
	}
	width := 1
	if n.words != nil {
		width = 2
	}
	for len(b) > 0 {
		section := b[:min(sectionBytes, len(b))]
		b = b[len(section):]
		usual, ok := uint16(0), false
		if n.unlooked > 0 {
			n.unlooked--
		} else if usual, ok = usualValue(section, width); !ok {
			n.unlooked = unlookedSections.Get()
		}
		if ok {
			listed := k.others(&n.others, section, usual, width, n.table)
			n.counts[usual] += uint64((len(section) - listed) / width)
			n.countEach(n.others[:listed])
			continue
		}
		n.section(section, k.same(section, width))
	}
}

// unlookedSections is how many sections are not sampled behind one without a usual value. A sample
// costs a tenth of counting a section.
var unlookedSections = threshold.New("histogram: sections that are not sampled", 15, 1)

// usualValue returns the value that is at least five eighths of a sample of a whole section, if
// there is one: the one that remains if each value cancels out a different one.
func usualValue(section []byte, width int) (usual uint16, ok bool) {
	const samples, least, apart = 16, 10, 6
	if len(section) < sectionBytes {
		return 0, false
	}
	var sample [samples]uint16
	lead := 0
	for i := range sample {
		at := i * (sectionBytes/samples + apart) // even, and at all places of a block
		if sample[i] = uint16(section[at]); width == 2 {
			sample[i] |= uint16(section[at+1]) << 8
		}
		switch {
		case lead == 0:
			usual, lead = sample[i], 1
		case sample[i] == usual:
			lead++
		default:
			lead--
		}
	}
	found := 0
	for _, v := range sample {
		if v == usual {
			found++
		}
	}
	return usual, found >= least
}

// section counts the values of a section. The kernel has found its blocks of a single value; these
// are counted at once.
func (n *narrow) section(b []byte, runs uint64) {
	if runs == 0 {
		n.countEach(b)
		return
	}
	for ; len(b) > 0; runs >>= 1 {
		block := b[:min(blockBytes, len(b))]
		b = b[len(block):]
		switch {
		case runs&1 == 0:
			n.countEach(block)
		case n.words != nil:
			n.counts[uint16(block[0])|uint16(block[1])<<8] += blockBytes / 2
		default:
			n.counts[block[0]] += blockBytes
		}
	}
}

func (n *narrow) countEach(b []byte) {
	if n.words != nil {
		tallyWords(n.words, b)
		return
	}
	tallyBytes(n.bytes, b)
}

func tallyBytes(t *[8][1 << 8]uint32, b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		t[0][b[0]]++
		t[1][b[1]]++
		t[2][b[2]]++
		t[3][b[3]]++
		t[4][b[4]]++
		t[5][b[5]]++
		t[6][b[6]]++
		t[7][b[7]]++
	}
	for _, v := range b {
		t[0][v]++
	}
}

func tallyWords(t *[2][1 << 16]uint32, b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		t[0][uint16(b[0])|uint16(b[1])<<8]++
		t[1][uint16(b[2])|uint16(b[3])<<8]++
		t[0][uint16(b[4])|uint16(b[5])<<8]++
		t[1][uint16(b[6])|uint16(b[7])<<8]++
	}
	for ; len(b) >= 2; b = b[2:] {
		t[0][uint16(b[0])|uint16(b[1])<<8]++
	}
}

// flush adds the tables to the counts.
func (n *narrow) flush() {
	if n.words != nil {
		drain(n.counts, n.words[0][:])
		drain(n.counts, n.words[1][:])
	} else {
		for i := range n.bytes {
			drain(n.counts, n.bytes[i][:])
		}
	}
	n.pending = 0
}

func drain(counts []uint64, table []uint32) {
	for i, n := range table {
		counts[i] += uint64(n)
	}
	clear(table)
}

func (n *narrow) merge(other *narrow) {
	other.flush()
	for i, count := range other.counts {
		n.counts[i] += count
	}
}
