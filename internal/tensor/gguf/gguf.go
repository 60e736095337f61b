// Package gguf reads the headers of GGUF files, versions 2 and 3: counts, metadata, a description of
// each tensor, and then the values, each tensor at a multiple of an alignment.
//
// A file may be big endian. That is recognised by the version, which is small.
package gguf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/thresh-dev/thresh/internal/tensor"
)

// Magic is how files begin, of either byte order.
const Magic = "GGUF"

const (
	alignmentDefault = 32
	alignmentKey     = "general.alignment"
	keyBytesMost     = 1 << 16 // by the format's specification
	depthMost        = 4       // of arrays in arrays
	dimensionsMost   = 8       // the format's own library has 4
	headerBytesMost  = 1 << 30 // vocabularies take some MiB
)

// Read reads the header of a file of size bytes.
func Read(r io.ReaderAt, size int64) (*tensor.File, error) {
	h := &header{cursor: newCursor(r, size), alignment: alignmentDefault}
	if err := h.read(); err != nil {
		return nil, err
	}
	return h.file()
}

func fail(off int64, err error) error { return &tensor.Error{Format: "gguf", Off: off, Err: err} }

// header is what is read of a header.
type header struct {
	*cursor
	alignment uint64
	aligned   bool // the file says how
	tensors   []info
}

// info is the description of a tensor.
type info struct {
	name   string
	shape  []int64 // outermost dimension first; the file has it the other way round
	typ    uint32
	offset uint64 // behind the header
	at     int64  // of the description
}

func (h *header) read() error {
	magic, err := h.bytes(4)
	if err != nil {
		return err
	}
	if string(magic) != Magic {
		return fail(0, errors.New("no GGUF file, or its first bytes are missing"))
	}
	version, err := h.uint32()
	if err != nil {
		return err
	}
	if version&0xffff == 0 {
		h.order, version = binary.BigEndian, bits.ReverseBytes32(version)
	}
	if version != 2 && version != 3 {
		return fail(4, fmt.Errorf("version %d is not known (known: 2 and 3)", version))
	}
	at := h.off
	tensors, err := h.uint64()
	if err != nil {
		return err
	}
	const infoBytesLeast = 8 + 4 + 4 + 8 // without name and dimensions
	if tensors > tensor.TensorsMost || int64(tensors) > h.size/infoBytesLeast {
		return fail(at, fmt.Errorf("%d tensors; a file of %d bytes has at most %d", tensors, h.size,
			min(tensor.TensorsMost, h.size/infoBytesLeast)))
	}
	entries, err := h.uint64()
	if err != nil {
		return err
	}
	for range entries { // each takes bytes, so the file ends before this does
		if err := h.entry(); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	for range tensors {
		t, err := h.info()
		if err != nil {
			return err
		}
		if seen[t.name] {
			return fail(t.at, fmt.Errorf("tensor %q comes twice", t.name))
		}
		seen[t.name] = true
		h.tensors = append(h.tensors, t)
	}
	return nil
}

// info reads the description of a tensor.
func (h *header) info() (t info, err error) {
	t.at = h.off
	if t.name, err = h.text(tensor.NameBytesMost); err != nil {
		return t, err
	}
	at := h.off
	dimensions, err := h.uint32()
	if err != nil {
		return t, err
	}
	if dimensions > dimensionsMost {
		return t, fail(at, fmt.Errorf("tensor %q has %d dimensions; at most %d are read",
			t.name, dimensions, dimensionsMost))
	}
	t.shape = make([]int64, dimensions)
	for i := range t.shape {
		n, err := h.uint64()
		if err != nil {
			return t, err
		}
		t.shape[i] = int64(n)
	}
	slices.Reverse(t.shape)
	if _, ok := tensor.Values(t.shape); !ok {
		return t, fail(at, fmt.Errorf("tensor %q: shape %v has more values than a file can hold", t.name, t.shape))
	}
	if t.typ, err = h.uint32(); err != nil {
		return t, err
	}
	t.offset, err = h.uint64()
	return t, err
}

// file checks the places of the tensors.
func (h *header) file() (*tensor.File, error) {
	f := &tensor.File{Format: "gguf"}
	data := h.off
	if past := data % int64(h.alignment); past != 0 {
		data += int64(h.alignment) - past
	}
	if len(h.tensors) > 0 && data > h.size {
		return nil, fail(h.off, fmt.Errorf("the tensors begin at %d, and %w: it has %d bytes",
			data, tensor.ErrEnded, h.size))
	}
	for _, i := range h.tensors {
		kind := typeOf(i.typ)
		t := tensor.Tensor{Name: i.name, Type: kind.name, Stored: kind.stored, ItemBytes: kind.bytes,
			Shape: i.shape, Length: -1}
		if t.Type != "" && h.order == binary.BigEndian && kind.bytes > 1 {
			t.Type += "be"
		}
		switch {
		case i.offset%h.alignment != 0:
			return nil, fail(i.at, fmt.Errorf("tensor %q is at %d, no multiple of the alignment, %d",
				i.name, i.offset, h.alignment))
		case i.offset > uint64(h.size-data):
			return nil, fail(i.at, fmt.Errorf("tensor %q begins %d bytes behind the header, and %w: it has %d bytes",
				i.name, i.offset, tensor.ErrEnded, h.size))
		}
		t.Offset = data + int64(i.offset)
		if kind.bytes > 0 {
			n, ok := tensor.Bytes(i.shape, kind.bytes)
			if !ok || n > h.size-t.Offset {
				return nil, fail(i.at, fmt.Errorf("tensor %q: shape %v of %s from %d on, and %w: it has %d bytes",
					i.name, i.shape, kind.stored, t.Offset, tensor.ErrEnded, h.size))
			}
			t.Length = n
		}
		f.Tensors = append(f.Tensors, t)
	}
	f.Sort()
	return f, overlapping(f)
}

// overlapping returns an error for a tensor that begins within the one before it.
func overlapping(f *tensor.File) error {
	for i := range max(len(f.Tensors)-1, 0) {
		t, next := &f.Tensors[i], &f.Tensors[i+1]
		if max(t.Length, 0) > next.Offset-t.Offset || t.Length < 0 && t.Offset == next.Offset {
			return fail(next.Offset, fmt.Errorf("tensor %q begins in the middle of tensor %q", next.Name, t.Name))
		}
	}
	return nil
}

// kind is a type of values.
type kind struct {
	stored string // by its usual name
	name   string // ours; empty for values that are packed in blocks with a common scale
	bytes  int    // of a value; 0 for these
}

// kinds are the types by number. Numbers that are missing were given up.
var kinds = [...]kind{
	0: {"F32", "f32", 4}, 1: {"F16", "f16", 2}, 24: {"I8", "i8", 1}, 25: {"I16", "i16", 2},
	26: {"I32", "i32", 4}, 27: {"I64", "i64", 8}, 28: {"F64", "f64", 8}, 30: {"BF16", "bf16", 2},

	2: {stored: "Q4_0"}, 3: {stored: "Q4_1"}, 6: {stored: "Q5_0"}, 7: {stored: "Q5_1"}, 8: {stored: "Q8_0"},
	9: {stored: "Q8_1"}, 10: {stored: "Q2_K"}, 11: {stored: "Q3_K"}, 12: {stored: "Q4_K"}, 13: {stored: "Q5_K"},
	14: {stored: "Q6_K"}, 15: {stored: "Q8_K"}, 16: {stored: "IQ2_XXS"}, 17: {stored: "IQ2_XS"},
	18: {stored: "IQ3_XXS"}, 19: {stored: "IQ1_S"}, 20: {stored: "IQ4_NL"}, 21: {stored: "IQ3_S"},
	22: {stored: "IQ2_S"}, 23: {stored: "IQ4_XS"}, 29: {stored: "IQ1_M"}, 34: {stored: "TQ1_0"},
	35: {stored: "TQ2_0"}, 39: {stored: "MXFP4"},
}

// typeOf returns the type with a number; one that is not known cannot be looked at, and no more.
func typeOf(number uint32) kind {
	if number < uint32(len(kinds)) && kinds[number].stored != "" {
		return kinds[number]
	}
	return kind{stored: fmt.Sprintf("type %d", number)}
}
