// Package sketch estimates, for one group, how many distinct texts there are and which values
// stand at which rank, in little memory and with a stated error. It only answers where an
// estimate is asked for by name.
//
// An estimate depends on nothing but the data: not on the order, not on how it was split and
// merged, and on no seed.
package sketch

import (
	"encoding/binary"
	"errors"
	"math"
)

var errCorrupt = errors.New("not what was written")

// reader decodes numbers and bytes. After the first error, bad is true and all further results
// are zero.
type reader struct {
	rest []byte
	bad  bool
}

// number reads a number that is at most bound.
func (r *reader) number(bound uint64) uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > bound || r.bad {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *reader) float() float64 {
	if b := r.bytes(8); b != nil {
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return 0
}

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.rest)) || r.bad {
		r.bad = true
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}
