// Package npy reads the headers of numpy's files of one array, versions 1 to 3.
//
// A file is a magic number, a version, the length of a header, the header, and the values. The
// header is a literal of Python: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/thresh-dev/thresh/internal/tensor"
)

// Magic is how files begin.
const Magic = "\x93NUMPY"

// headerBytesMost bounds the header. A shape takes a few hundred bytes; only lists of fields, which
// are refused anyway, take more.
const headerBytesMost = 64 << 10

// Read reads the header of a file of size bytes.
func Read(r io.ReaderAt, size int64) (*tensor.File, error) {
	var head [12]byte
	n, err := r.ReadAt(head[:min(size, 12)], 0)
	if err != nil && (err != io.EOF || n < int(min(size, 12))) {
		return nil, err
	}
	if n < 10 || string(head[:6]) != Magic {
		return nil, fail(0, errors.New("no numpy file, or its first bytes are missing"))
	}
	from, length := int64(10), int64(binary.LittleEndian.Uint16(head[8:]))
	switch head[6] {
	case 1:
	case 2, 3:
		from, length = 12, int64(binary.LittleEndian.Uint32(head[8:]))
	default:
		return nil, fail(6, fmt.Errorf("version %d.%d is not known (known: 1.0, 2.0 and 3.0)", head[6], head[7]))
	}
	switch {
	case length > headerBytesMost:
		return nil, fail(8, fmt.Errorf("a header of %d bytes; at most %d are read", length, headerBytesMost))
	case n < int(from) || from+length > size:
		return nil, fail(8, fmt.Errorf("a header of %d bytes, and %w: it has %d", length, tensor.ErrEnded, size))
	}
	text := make([]byte, length)
	if n, err := r.ReadAt(text, from); n < len(text) {
		return nil, err
	}
	p := &parser{text: text, from: from}
	h, err := p.header()
	if err != nil {
		return nil, err
	}
	return h.file(from+length, size)
}

func fail(off int64, err error) error { return &tensor.Error{Format: "npy", Off: off, Err: err} }

// header is what the dictionary says, and where.
type header struct {
	descr   string
	fortran bool
	shape   []int64
	descrAt int64
	shapeAt int64
}

// file returns the description of an array whose values begin at from.
func (h *header) file(from, size int64) (*tensor.File, error) {
	typ, itemBytes, err := typeOf(h.descr)
	if err != nil {
		return nil, fail(h.descrAt, err)
	}
	length, ok := tensor.Bytes(h.shape, max(itemBytes, 1))
	if !ok {
		return nil, fail(h.shapeAt, fmt.Errorf("shape %v has more values than a file can hold", h.shape))
	}
	if length > size-from {
		return nil, fail(h.shapeAt, fmt.Errorf("shape %v of %s takes %d bytes from %d on, and %w, at %d",
			h.shape, h.descr, length, from, tensor.ErrEnded, size))
	}
	return &tensor.File{Format: "npy", Trailing: size - from - length, Tensors: []tensor.Tensor{{
		Type: typ, Stored: h.descr, ItemBytes: itemBytes, Shape: h.shape, ColumnMajor: h.fortran,
		Offset: from, Length: length}}}, nil
}

// typeOf returns our name and the width of a numpy type such as <f4. The name is empty for types
// whose values are not compared: complex numbers, texts, times, and V, bytes without a meaning, as
// which numpy saves bf16.
func typeOf(descr string) (typ string, itemBytes int, err error) {
	if descr == "bfloat16" {
		return "bf16", 2, nil
	}
	unknown := fmt.Errorf("type %q is not known", descr)
	if len(descr) < 3 {
		return "", 0, unknown
	}
	order, kind := descr[0], descr[1]
	for _, c := range []byte(descr[2:]) {
		if c < '0' || c > '9' || itemBytes > 1<<20 {
			if kind == 'M' || kind == 'm' { // <M8[ns]
				break
			}
			return "", 0, unknown
		}
		itemBytes = 10*itemBytes + int(c-'0')
	}
	if order != '<' && order != '>' && order != '|' {
		return "", 0, unknown
	}
	switch kind {
	case 'O':
		return "", 0, errors.New("objects of Python, pickled: their values cannot be looked at")
	case 'f', 'i', 'u', 'b':
		if name, ok := numbers[descr[1:]]; ok {
			if order == '>' && itemBytes > 1 {
				name += "be"
			}
			return name, itemBytes, nil
		}
	case 'c', 'S', 'a', 'V', 'M', 'm':
	case 'U':
		itemBytes *= 4
	default:
		return "", 0, unknown
	}
	return "", itemBytes, nil
}

var numbers = map[string]string{
	"f2": "f16", "f4": "f32", "f8": "f64", "b1": "u8",
	"i1": "i8", "i2": "i16", "i4": "i32", "i8": "i64",
	"u1": "u8", "u2": "u16", "u4": "u32", "u8": "u64",
}
