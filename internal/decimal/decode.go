package decimal

import "encoding/binary"

// reader takes numbers and bytes from what was written. After the first that is not there,
// bad is set and all others are zero.
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

// scaleMax is more digits than any field has.
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
