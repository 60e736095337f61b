package encode

import "encoding/binary"

// thrift encodes structures in Thrift's compact protocol, as far as Parquet's metadata needs it.
// A field header has the type and the difference of the field's number to the one before.
// Integers are varints with the sign in the lowest bit (zigzag).
type thrift struct {
	buf  []byte
	last []int16 // number of the field before, for each structure that is open
}

// Types of the compact protocol.
const (
	thriftI32    = 5
	thriftI64    = 6
	thriftBinary = 8
	thriftList   = 9
	thriftStruct = 12
)

func (t *thrift) field(number int16, typ byte) {
	last := &t.last[len(t.last)-1]
	if number <= *last || number-*last > 15 {
		panic("thresh: bug: thrift fields out of order")
	}
	t.buf = append(t.buf, byte(number-*last)<<4|typ)
	*last = number
}

// open begins a structure in a field; open(0) begins an element of a list, or the outermost
// structure.
func (t *thrift) open(number int16) {
	if number > 0 {
		t.field(number, thriftStruct)
	}
	t.last = append(t.last, 0)
}

func (t *thrift) close() {
	t.buf = append(t.buf, 0)
	t.last = t.last[:len(t.last)-1]
}

func (t *thrift) i32(number int16, v int) {
	t.field(number, thriftI32)
	t.buf = binary.AppendVarint(t.buf, int64(v))
}

func (t *thrift) i64(number int16, v int64) {
	t.field(number, thriftI64)
	t.buf = binary.AppendVarint(t.buf, v)
}

func (t *thrift) text(number int16, v []byte) {
	t.field(number, thriftBinary)
	t.element(v)
}

// element appends a text as an element of a list.
func (t *thrift) element(v []byte) {
	t.buf = binary.AppendUvarint(t.buf, uint64(len(v)))
	t.buf = append(t.buf, v...)
}

// list begins a list of size elements, which the caller appends.
func (t *thrift) list(number int16, typ byte, size int) {
	t.field(number, thriftList)
	if size < 15 {
		t.buf = append(t.buf, byte(size)<<4|typ)
		return
	}
	t.buf = append(t.buf, 0xf0|typ)
	t.buf = binary.AppendUvarint(t.buf, uint64(size))
}
