package decimal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
)

var errCorrupt = errors.New("not what was written")

// reader decodes numbers and bytes. After the first error, bad is true and all further results
// are zero.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) fail() {
	r.bad = true
	r.rest = nil
}

func (r *reader) byte() byte {
	if len(r.rest) == 0 {
		r.fail()
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// scaleMax is more than the number of digits of any field.
const scaleMax = 1 << 30

func (r *reader) scale() int {
	v := r.uvarint()
	if v > scaleMax {
		r.fail()
		return 0
	}
	return int(v)
}

func (r *reader) bytes() []byte {
	n := r.uvarint()
	if n > uint64(len(r.rest)) {
		r.fail()
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

const (
	asSmall = iota
	asFloat
	asLarge
	asLargeNegative
)

// AppendBinary appends an encoding of the number, for Decode.
func (a Number) AppendBinary(b []byte) []byte {
	switch {
	case a.float:
		return binary.LittleEndian.AppendUint64(append(b, asFloat), uint64(a.mantissa))
	case a.large == nil:
		b = binary.AppendUvarint(append(b, asSmall), uint64(a.scale))
		return binary.AppendVarint(b, a.mantissa)
	}
	tag := byte(asLarge)
	if a.large.Sign() < 0 {
		tag = asLargeNegative
	}
	b = binary.AppendUvarint(append(b, tag), uint64(a.scale))
	return appendBytes(b, a.large.Bytes())
}

// Decode sets a to the number that AppendBinary encoded, and returns the bytes after it.
func (a *Number) Decode(b []byte) (rest []byte, err error) {
	r := reader{rest: b}
	switch tag := r.byte(); {
	case r.bad:
	case tag == asFloat && len(r.rest) >= 8:
		*a = FromFloat(math.Float64frombits(binary.LittleEndian.Uint64(r.rest)))
		r.rest = r.rest[8:]
		r.bad = math.IsNaN(a.asFloat())
	case tag == asSmall:
		scale := r.scale()
		*a = FromPlain(r.varint(), scale)
	case tag == asLarge || tag == asLargeNegative:
		scale := r.scale()
		m := new(big.Int).SetBytes(r.bytes())
		if tag == asLargeNegative {
			m.Neg(m)
		}
		*a = FromBig(m, scale)
	default:
		r.bad = true
	}
	if r.bad {
		*a = Number{}
		return nil, fmt.Errorf("decode a number: %w", errCorrupt)
	}
	return r.rest, nil
}
