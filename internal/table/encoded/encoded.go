// Package encoded reads what the state of a table is kept as outside its memory: in files, and in parts of an answer.
package encoded

import (
	"encoding/binary"
	"errors"
)

// ErrCorrupt is the error for bytes that are not what was written.
var ErrCorrupt = errors.New("not what was written")

// Reader decodes numbers and bytes. After the first error Bad is true, nothing is left, and all further results are
// zero.
type Reader struct {
	Rest []byte
	Bad  bool
}

func (r *Reader) fail() { r.Rest, r.Bad = nil, true }

// Byte reads a byte.
func (r *Reader) Byte() byte {
	if b := r.Take(1); b != nil {
		return b[0]
	}
	return 0
}

// Uvarint reads what binary.AppendUvarint has written.
func (r *Reader) Uvarint() uint64 { return r.UvarintTo(1<<64 - 1) }

// UvarintTo reads such a number, which is most at most.
func (r *Reader) UvarintTo(most uint64) uint64 {
	v, n := binary.Uvarint(r.Rest)
	if n <= 0 || v > most {
		r.fail()
		return 0
	}
	r.Rest = r.Rest[n:]
	return v
}

// Varint reads what binary.AppendVarint has written.
func (r *Reader) Varint() int64 {
	v, n := binary.Varint(r.Rest)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.Rest = r.Rest[n:]
	return v
}

// Word reads eight bytes, the lowest first.
func (r *Reader) Word() uint64 {
	if b := r.Take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Take reads so many bytes, which are not copied.
func (r *Reader) Take(n uint64) []byte {
	if r.Bad || n > uint64(len(r.Rest)) {
		r.fail()
		return nil
	}
	b := r.Rest[:n:n]
	r.Rest = r.Rest[n:]
	return b
}

// Bytes reads what AppendBytes has written. They are not copied.
func (r *Reader) Bytes() []byte { return r.Take(r.Uvarint()) }

// AppendBytes appends bytes after their number.
func AppendBytes(b, data []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(data))), data...)
}
