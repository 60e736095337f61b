package histogram

// narrow counts values of 8 and 16 bits, each in a counter of its own; 16-bit values are read as
// little endian, whatever their type. Neighbours go to different tables of 32-bit counters, which
// are added to the counts before any can overflow.
type narrow struct {
	counts  []uint64
	bytes   *[8][1 << 8]uint32
	words   *[2][1 << 16]uint32
	pending uint64 // values in the tables
}

func newNarrow(width int) *narrow {
	if width == 1 {
		return &narrow{counts: make([]uint64, 1<<8), bytes: new([8][1 << 8]uint32)}
	}
	return &narrow{counts: make([]uint64, 1<<16), words: new([2][1 << 16]uint32)}
}

const (
	blockBytes    = 64
	sectionBlocks = 64 // one bit each in a word
	sectionBytes  = sectionBlocks * blockBytes
)

// count counts the values of at most one chunk.
func (n *narrow) count(b []byte, same func([]byte, int) uint64) {
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
		n.section(section, same(section, width))
	}
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
			n.words[0][uint16(block[0])|uint16(block[1])<<8] += blockBytes / 2
		default:
			n.bytes[0][block[0]] += blockBytes
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
		drain(n.counts, n.words[0][:], n.words[1][:])
	} else {
		for i := range n.bytes {
			drain(n.counts, n.bytes[i][:])
		}
	}
	n.pending = 0
}

func drain(counts []uint64, tables ...[]uint32) {
	for _, table := range tables {
		for i, n := range table {
			counts[i] += uint64(n)
		}
		clear(table)
	}
}

func (n *narrow) merge(other *narrow) {
	other.flush()
	for i, count := range other.counts {
		n.counts[i] += count
	}
}
