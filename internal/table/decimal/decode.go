package decimal

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"

	"github.com/thresh-dev/thresh/internal/table/encoded"
)

// scaleMax is more than the number of digits of any field.
const scaleMax = 1 << 30

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
	return encoded.AppendBytes(b, a.large.Bytes())
}

// Decode sets a to the number that AppendBinary encoded, and returns the bytes after it.
func (a *Number) Decode(b []byte) (rest []byte, err error) {
	r := encoded.Reader{Rest: b}
	switch tag := r.Byte(); {
	case r.Bad:
	case tag == asFloat && len(r.Rest) >= 8:
		*a = FromFloat(math.Float64frombits(binary.LittleEndian.Uint64(r.Rest)))
		r.Rest = r.Rest[8:]
		r.Bad = math.IsNaN(a.asFloat())
	case tag == asSmall:
		scale := int(r.UvarintTo(scaleMax))
		*a = FromPlain(r.Varint(), scale)
	case tag == asLarge || tag == asLargeNegative:
		scale := int(r.UvarintTo(scaleMax))
		m := new(big.Int).SetBytes(r.Bytes())
		if tag == asLargeNegative {
			m.Neg(m)
		}
		*a = FromBig(m, scale)
	default:
		r.Bad = true
	}
	if r.Bad {
		*a = Number{}
		return nil, fmt.Errorf("decode a number: %w", encoded.ErrCorrupt)
	}
	return r.Rest, nil
}
