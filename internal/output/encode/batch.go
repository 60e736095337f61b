package encode

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Digits that fit in the two widths of exact decimals.
const (
	digits128 = 38
	digits256 = 76
)

// batchBytes is the size from which a batch is written, if memory is not bounded to less than batchShare times as much.
var batchBytes = threshold.New("output: bytes of a batch", 16<<20, 1)

const (
	batchShare = 16 // a batch takes twice its size, and is encoded
	batchLeast = 64 << 10
)

// valueTextMax limits the length of a text. Arrow counts the text bytes of a batch in 32 bits, and
// Parquet those of a page; a text gets three times as long if every byte becomes U+FFFD.
const valueTextMax = 512 << 20

// batch holds some rows, column by column, in Arrow's layout. Parquet's pages are built from it.
type batch struct {
	columns []answer.Column
	vectors []vector
	rows    int
	bytes   int  // of values
	most    int  // of bytes, from which the batch is written
	settled bool // the schema is written: decimals cannot get wider
	changed bool // invalid UTF-8 was replaced
	widest  [2]*big.Int
}

// vector holds the values of one column.
type vector struct {
	width int    // bytes per value; 0 for text
	valid []byte // one bit per row, the lowest bit first; 0 for null
	nulls int
	data  []byte  // little-endian values, zeros for null; or text
	ends  []int32 // of text: where each value ends in data
}

func newBatch(columns []answer.Column, memBytes int64) (*batch, error) {
	b := &batch{columns: columnsOf(columns), vectors: make([]vector, len(columns)), most: batchBytes.Get()}
	if memBytes > 0 {
		b.most = int(min(int64(b.most), max(memBytes/batchShare, batchLeast)))
	}
	ten := big.NewInt(10)
	b.widest[0] = new(big.Int).Exp(ten, big.NewInt(digits128), nil)
	b.widest[1] = new(big.Int).Exp(ten, big.NewInt(digits256), nil)
	for i := range columns {
		c := &b.columns[i]
		c.Name = string(appendValid(nil, []byte(c.Name)))
		v := &b.vectors[i]
		switch c.Type {
		case answer.ColumnInteger, answer.ColumnFloat:
			v.width = 8
		case answer.ColumnDecimal:
			most := c.Scale
			if most > digits256 {
				return nil, fmt.Errorf("column %s has %d digits, but a decimal holds %d: use Writer.Format csv or "+
					"Writer.Format json",
					c.Name, most, digits256)
			}
			if v.width = 16; most > digits128 {
				v.width = 32
			}
		}
	}
	return b, nil
}

// reset empties the batch and keeps its memory.
func (b *batch) reset() {
	b.rows, b.bytes = 0, 0
	for i := range b.vectors {
		v := &b.vectors[i]
		v.valid, v.data, v.ends, v.nulls = v.valid[:0], v.data[:0], v.ends[:0], 0
	}
}

// notes returns notes for the reader of the file.
func (b *batch) notes() (notes []string) {
	for i := range b.columns {
		if b.vectors[i].width == 32 {
			notes = append(notes, fmt.Sprintf("column %s: decimals of more than %d digits, which DuckDB, Polars and others "+
				"cannot read; Writer.Format csv and Writer.Format json write them as text", b.columns[i].Name, digits128))
		}
	}
	if b.changed {
		notes = append(notes, noteUTF8)
	}
	return notes
}

func (b *batch) add(values []answer.Cell) error {
	check(b.columns, values)
	for i := range values {
		c, v := &b.columns[i], &b.vectors[i]
		v.setValid(b.rows, !values[i].Null)
		before := len(v.data)
		if err := b.put(c, v, &values[i]); err != nil {
			return err
		}
		b.bytes += len(v.data) - before
	}
	b.rows++
	return nil
}

// full reports whether the batch has enough rows or bytes to be written.
func (b *batch) full(rowsMax int) bool { return b.rows == rowsMax || b.bytes > b.most }

func (b *batch) put(c *answer.Column, v *vector, value *answer.Cell) error {
	switch {
	case c.Type == answer.ColumnText:
		text := value.Text
		if value.Null {
			text = nil
		}
		if len(text) > valueTextMax {
			return fmt.Errorf("column %s: a text of %d bytes, but the maximum is %d: use Writer.Format csv",
				c.Name, len(text), valueTextMax)
		}
		if utf8.Valid(text) {
			v.data = append(v.data, text...)
		} else {
			v.data, b.changed = appendValid(v.data, text), true
		}
		v.ends = append(v.ends, int32(len(v.data)))
	case value.Null:
		v.data = append(v.data, zeros[:v.width]...)
	case c.Type == answer.ColumnInteger:
		v.data = binary.LittleEndian.AppendUint64(v.data, uint64(value.Int))
	case c.Type == answer.ColumnFloat:
		v.data = binary.LittleEndian.AppendUint64(v.data, math.Float64bits(value.Float))
	case value.Big == nil:
		v.data = appendLimbs(v.data, v.width, [4]uint64{uint64(value.Int)}, value.Int < 0)
	default:
		return b.putBig(c, v, value.Big)
	}
	return nil
}

// appendValid appends text, with U+FFFD in place of each byte that is not valid UTF-8.
func appendValid(dst, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		dst = utf8.AppendRune(dst, r)
		text = text[size:]
	}
	return dst
}

var zeros [32]byte

// putBig appends a decimal's mantissa. It widens the column first if necessary.
func (b *batch) putBig(c *answer.Column, v *vector, x *big.Int) error {
	if x.CmpAbs(b.widest[1]) >= 0 {
		return fmt.Errorf("column %s: %d digits, but a decimal holds %d: use Writer.Format csv or Writer.Format json",
			c.Name, len(new(big.Int).Abs(x).String()), digits256)
	}
	if v.width == 16 && x.CmpAbs(b.widest[0]) >= 0 {
		if b.settled {
			return fmt.Errorf("column %s: a value of more than %d digits after rows with fewer: "+
				"use Writer.Format csv or Writer.Format json", c.Name, digits128)
		}
		v.widen()
	}
	var limbs [4]uint64
	var text [32]byte
	x.FillBytes(text[:])
	for i := range limbs {
		limbs[i] = binary.BigEndian.Uint64(text[24-8*i:])
	}
	if x.Sign() < 0 { // two's complement
		carry := uint64(1)
		for i := range limbs {
			limbs[i] = ^limbs[i] + carry
			if limbs[i] != 0 {
				carry = 0
			}
		}
	}
	v.data = appendLimbs(v.data, v.width, limbs, false)
	return nil
}

// appendLimbs appends the low width bytes of limbs. If extend is true, all bits above the first
// limb are ones: the sign extension of a negative 64-bit value.
func appendLimbs(dst []byte, width int, limbs [4]uint64, extend bool) []byte {
	for i := range width / 8 {
		if extend && i > 0 {
			limbs[i] = math.MaxUint64
		}
		dst = binary.LittleEndian.AppendUint64(dst, limbs[i])
	}
	return dst
}

// widen converts values of 16 bytes to 32 bytes.
func (v *vector) widen() {
	wide := make([]byte, 0, 2*len(v.data))
	for ; len(v.data) > 0; v.data = v.data[16:] {
		low, high := binary.LittleEndian.Uint64(v.data), binary.LittleEndian.Uint64(v.data[8:])
		sign := uint64(int64(high) >> 63)
		wide = appendLimbs(wide, 32, [4]uint64{low, high, sign, sign}, false)
	}
	v.data, v.width = wide, 32
}

// setValid records whether a row has a value.
func (v *vector) setValid(row int, valid bool) {
	if row%8 == 0 {
		v.valid = append(v.valid, 0)
	}
	if valid {
		v.valid[row/8] |= 1 << (row % 8)
	} else {
		v.nulls++
	}
}

func (v *vector) has(row int) bool { return v.valid[row/8]>>(row%8)&1 != 0 }
