package quantiles

import (
	"encoding/binary"

	"github.com/thresh-dev/thresh/internal/table/encoded"
	"github.com/thresh-dev/thresh/internal/table/spill"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// block is a sequence of sorted values in a file.
type block struct {
	file        *spill.File
	off         int64
	first, last uint64
	bytes       uint32
	n           uint32
}

// pieceMax is how many values of a group are sorted at once; the sort uses 1 MiB. They become one
// block or several.
var pieceMax = threshold.New("values: sorted at once", 64<<10, 1)

// blockMin is the fewest values of a block; only the last block of a piece may have fewer. Blocks
// get longer the more a store has written, which keeps the list of blocks short.
var blockMin = threshold.New("values: block", 4<<10, 1)

// blocksUsual is how many blocks a store aims at. Their list takes little memory.
const blocksUsual = 32 << 10

func (s *Store) blockValues() int {
	return int(min(max(int64(blockMin.Get()), s.written/blocksUsual), int64(pieceMax.Get())))
}

// write writes all values of the set that are in memory to the file, as new blocks of the set.
func (s *Store) write(set *Set) error {
	if s.file == nil {
		f, err := spill.New(s.tempDir, "thresh-values-*", "values")
		if err != nil {
			return err
		}
		s.file = f
	}
	piece, most := s.sorter.values[:0], pieceMax.Get()
	take := func(values []uint64) error {
		for len(values) > 0 {
			n := min(len(values), most-len(piece))
			piece = append(piece, values[:n]...)
			values = values[n:]
			if len(piece) == most {
				if err := s.writePiece(set, piece); err != nil {
					return err
				}
				piece = piece[:0]
			}
		}
		return nil
	}
	err := take(set.few)
	for _, c := range set.chains {
		for values := range c.chunks() {
			if err == nil {
				err = take(values)
			}
		}
	}
	if err == nil && len(piece) > 0 {
		err = s.writePiece(set, piece)
	}
	s.sorter.values = piece
	return err
}

func (s *Store) writePiece(set *Set, piece []uint64) error {
	piece = s.sorter.sort(piece)
	s.encoded = s.encoded[:0]
	end, from := s.file.End(), len(set.blocks)
	for size := s.blockValues(); len(piece) > 0; {
		now := piece[:min(size, len(piece))]
		piece = piece[len(now):]
		at := len(s.encoded)
		s.encoded = appendSorted(s.encoded, now)
		set.blocks = append(set.blocks, block{file: s.file, off: end + int64(at), first: now[0], last: now[len(now)-1],
			bytes: uint32(len(s.encoded) - at), n: uint32(len(now))})
	}
	if _, err := s.file.Append(s.encoded); err != nil {
		return err
	}
	for _, b := range set.blocks[from:] {
		s.written += int64(b.n)
	}
	return nil
}

// appendSorted encodes ascending values as varints. The first value is stored elsewhere. For
// each value that follows, it appends the difference to the value before; for repeated values,
// it appends 0 and the number of repetitions.
func appendSorted(b []byte, values []uint64) []byte {
	last, more := values[0], uint64(0)
	for _, v := range values[1:] {
		if v == last {
			more++
			continue
		}
		if more > 0 {
			b = binary.AppendUvarint(append(b, 0), more)
			more = 0
		}
		b = binary.AppendUvarint(b, v-last)
		last = v
	}
	if more > 0 {
		b = binary.AppendUvarint(append(b, 0), more)
	}
	return b
}

func (b *block) appendBinary(to []byte) []byte {
	to = binary.AppendUvarint(to, uint64(b.off))
	to = binary.AppendUvarint(to, uint64(b.bytes))
	to = binary.AppendUvarint(to, uint64(b.n))
	to = binary.LittleEndian.AppendUint64(to, b.first)
	return binary.AppendUvarint(to, b.last-b.first)
}

// read returns the block's values. It reuses the memory of both buffers, and returns them.
func (b *block) read(buf []byte, values []uint64) (_ []byte, _ []uint64, err error) {
	if cap(buf) < int(b.bytes) {
		buf = make([]byte, b.bytes)
	}
	buf = buf[:b.bytes]
	if err := b.file.ReadBack(buf, b.off); err != nil {
		return buf, values, err
	}
	r := encoded.Reader{Rest: buf}
	values = sorted(&r, values[:0], b.first, uint64(b.n))
	if r.Bad || len(r.Rest) > 0 || values[len(values)-1] != b.last {
		return buf, values, b.file.Failed("read back values from", encoded.ErrCorrupt)
	}
	return buf, values, nil
}

// sorted appends n values that appendSorted encoded. The first value is first.
func sorted(r *encoded.Reader, values []uint64, first, n uint64) []uint64 {
	if r.Bad || n == 0 || n > 1<<31 {
		r.Bad = true
		return values
	}
	values = append(values, first)
	left, last := n-1, first
	for rest := r.Rest; left > 0; {
		step, size := uint64(0), 1
		if len(rest) > 0 && rest[0] < 0x80 {
			step = uint64(rest[0])
		} else if step, size = binary.Uvarint(rest); size <= 0 {
			r.Bad = true
			return values
		}
		rest = rest[size:]
		more := uint64(1)
		if step == 0 {
			if more, size = binary.Uvarint(rest); size <= 0 || more == 0 || more > left {
				r.Bad = true
				return values
			}
			rest = rest[size:]
		}
		last += step
		for range more {
			values = append(values, last)
		}
		left -= more
		r.Rest = rest
	}
	return values
}

func readBlock(r *encoded.Reader, file *spill.File) (b block) {
	b.file, b.off = file, int64(r.Uvarint())
	b.bytes, b.n = uint32(r.Uvarint()), uint32(r.Uvarint())
	b.first = r.Word()
	b.last = b.first + r.Uvarint()
	r.Bad = r.Bad || b.n == 0 || file == nil
	return b
}
