package quantiles

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/thresh-dev/thresh/internal/table/encoded"
)

// AppendValues appends an encoding of all values of a handle, which AddValues of any store reads.
func (s *Store) AppendValues(handle uint64, b []byte) ([]byte, error) {
	set := &s.scratch
	set.Reset()
	s.AppendTo(set, handle)
	values := slices.Clone(set.few)
	for _, c := range set.chains {
		for chunk := range c.chunks() {
			values = append(values, chunk...)
		}
	}
	var block []byte
	var read []uint64
	var err error
	for i := range set.blocks {
		if block, read, err = set.blocks[i].read(block, read); err != nil {
			return nil, err
		}
		values = append(values, read...)
	}
	b = binary.AppendUvarint(b, uint64(len(values)))
	if len(values) == 0 {
		return b, nil
	}
	slices.Sort(values)
	b = binary.LittleEndian.AppendUint64(b, values[0])
	return append(b, appendSorted(nil, values)...), nil
}

// AddValues adds the values of an encoding to those of a handle, and updates the handle.
func (s *Store) AddValues(handle *uint64, b []byte) error {
	r := encoded.Reader{Rest: b}
	n := r.Uvarint()
	if n == 0 && !r.Bad && len(r.Rest) == 0 {
		return nil
	}
	values := sorted(&r, nil, r.Word(), n)
	if r.Bad || len(r.Rest) > 0 {
		return fmt.Errorf("decode values: %w", encoded.ErrCorrupt)
	}
	for _, v := range values {
		s.Add(handle, v)
	}
	return nil
}
