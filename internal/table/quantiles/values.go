package quantiles

import (
	"encoding/binary"
	"fmt"
	"slices"
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
	r := decoder{rest: b}
	n := r.uvarint()
	if n == 0 && !r.bad && len(r.rest) == 0 {
		return nil
	}
	values := r.sorted(nil, r.word(), n)
	if r.bad || len(r.rest) > 0 {
		return fmt.Errorf("decode values: %w", errCorrupt)
	}
	for _, v := range values {
		s.Add(handle, v)
	}
	return nil
}
