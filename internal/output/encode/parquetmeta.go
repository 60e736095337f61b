package encode

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/thresh-dev/thresh/answer"
)

// Constants of parquet.thrift.
const (
	physicalInt64  = 2
	physicalDouble = 5
	physicalBytes  = 6
	physicalFixed  = 7

	convertedUTF8    = 0
	convertedDecimal = 5

	logicalString  = 1
	logicalDecimal = 5

	repeatOptional = 1

	pageData      = 0
	encodingPlain = 0
	encodingRLE   = 3
	codecZstd     = 6
)

func physical(c *answer.Column) int {
	switch c.Type {
	case answer.ColumnInteger:
		return physicalInt64
	case answer.ColumnFloat:
		return physicalDouble
	case answer.ColumnDecimal:
		return physicalFixed
	}
	return physicalBytes
}

// footer returns the file's metadata.
func (p *parquetWriter) footer() []byte {
	var t thrift
	t.open(0)
	t.i32(1, 2) // version of the format
	t.list(2, thriftStruct, 1+len(p.batch.columns))
	t.open(0)
	t.text(4, []byte("answer"))
	t.i32(5, len(p.batch.columns))
	t.close()
	for i := range p.batch.columns {
		t.column(&p.batch.columns[i], p.batch.vectors[i].width)
	}
	t.i64(3, p.rows)
	t.list(4, thriftStruct, p.count)
	t.buf = append(t.buf, p.groups.buf...)
	t.text(6, []byte("thresh"))
	t.list(7, thriftStruct, len(p.batch.columns)) // minimum and maximum use the order of each type
	for range p.batch.columns {
		t.open(0)
		t.open(1)
		t.close()
		t.close()
	}
	t.close()
	return t.buf
}

// column appends the schema of a column.
func (t *thrift) column(c *answer.Column, width int) {
	t.open(0)
	t.i32(1, physical(c))
	if c.Type == answer.ColumnDecimal {
		t.i32(2, width)
	}
	t.i32(3, repeatOptional)
	t.text(4, []byte(c.Name))
	switch c.Type {
	case answer.ColumnText:
		t.i32(6, convertedUTF8)
		t.open(10)
		t.open(logicalString)
		t.close()
		t.close()
	case answer.ColumnDecimal:
		digits := digits128
		if width == 32 {
			digits = digits256
		}
		t.i32(6, convertedDecimal)
		t.i32(7, c.Scale)
		t.i32(8, digits)
		t.open(10)
		t.open(logicalDecimal)
		t.i32(1, c.Scale)
		t.i32(2, digits)
		t.close()
		t.close()
	}
	t.close()
}

// statisticBytesMax limits the texts in statistics, so that the footer does not grow with them.
const statisticBytesMax = 64

// statistics appends the number of nulls and, if they are short enough, the minimum and the
// maximum.
func (b *batch) statistics(t *thrift, i int) {
	v := &b.vectors[i]
	t.open(12)
	t.i64(3, int64(v.nulls))
	least, greatest, ok := v.bounds(b.columns[i].Type, b.rows)
	if ok && len(least) <= statisticBytesMax && len(greatest) <= statisticBytesMax {
		t.text(5, greatest)
		t.text(6, least)
	}
	t.close()
}

// bounds returns the minimum and the maximum in Parquet's encoding, in the order of the type:
// numbers by value, text by bytes. ok is false if there are none.
func (v *vector) bounds(typ answer.ColumnType, rows int) (least, greatest []byte, ok bool) {
	low, high := -1, -1
	for row := range rows {
		if !v.has(row) || typ == answer.ColumnFloat && math.IsNaN(v.float(row)) {
			continue
		}
		if low < 0 {
			low, high = row, row
			continue
		}
		if v.less(typ, row, low) {
			low = row
		}
		if v.less(typ, high, row) {
			high = row
		}
	}
	if low < 0 {
		return nil, nil, false
	}
	switch typ {
	case answer.ColumnText:
		return v.at(low), v.at(high), true
	case answer.ColumnDecimal:
		return v.appendBigEndian(nil, low), v.appendBigEndian(nil, high), true
	case answer.ColumnFloat:
		// Zero has two signs, so Parquet wants -0 as the minimum and +0 as the maximum.
		l, h := v.float(low), v.float(high)
		if l == 0 {
			l = math.Copysign(0, -1)
		}
		if h == 0 {
			h = 0
		}
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(l)),
			binary.LittleEndian.AppendUint64(nil, math.Float64bits(h)), true
	}
	return v.data[8*low : 8*low+8], v.data[8*high : 8*high+8], true
}

func (v *vector) less(typ answer.ColumnType, a, b int) bool {
	switch typ {
	case answer.ColumnText:
		return bytes.Compare(v.at(a), v.at(b)) < 0
	case answer.ColumnFloat:
		return v.float(a) < v.float(b)
	}
	// The highest limb has the sign and compares as signed, the others as unsigned.
	for i := v.width/8 - 1; i >= 0; i-- {
		x := binary.LittleEndian.Uint64(v.data[a*v.width+8*i:])
		y := binary.LittleEndian.Uint64(v.data[b*v.width+8*i:])
		if x != y {
			if i == v.width/8-1 {
				return int64(x) < int64(y)
			}
			return x < y
		}
	}
	return false
}

func (v *vector) float(row int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(v.data[8*row:]))
}

// at returns the text of a row.
func (v *vector) at(row int) []byte {
	start := int32(0)
	if row > 0 {
		start = v.ends[row-1]
	}
	return v.data[start:v.ends[row]]
}

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
