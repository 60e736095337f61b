package jsonscan

import "bytes"

// TileBytes is the most that a Describer handles at once: the bytes and their masks stay in the
// first-level cache of a core.
const TileBytes = 4 << 10

// Describer describes pieces of any length. It is not safe for concurrent use.
type Describer struct {
	scan   Func
	blocks [TileBytes / BlockBytes]Block
	last   [BlockBytes]byte
}

// NewDescriber returns a Describer that uses this variant of the kernel.
func NewDescriber(scan Func) *Describer { return &Describer{scan: scan} }

// Describe describes p, which is at most TileBytes long, padded with spaces to whole blocks. It
// returns the state after the padding. The blocks are valid until the next call.
func (d *Describer) Describe(p []byte, at State) (blocks []Block, end State, found Found) {
	whole := len(p) / BlockBytes
	end, found = d.scan(p[:whole*BlockBytes], d.blocks[:whole], at)
	if whole*BlockBytes == len(p) {
		return d.blocks[:whole], end, found
	}
	copy(d.last[copy(d.last[:], p[whole*BlockBytes:]):], spaces)
	end, more := d.scan(d.last[:], d.blocks[whole:whole+1], end)
	found.Invalid = found.Invalid || more.Invalid
	found.NonASCII = found.NonASCII || more.NonASCII
	found.Escapes = found.Escapes || more.Escapes
	return d.blocks[:whole+1], end, found
}

var spaces = bytes.Repeat([]byte{' '}, BlockBytes)
