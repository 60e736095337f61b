// Package safetensors reads the headers of safetensors files: eight bytes that hold the length of
// the header, a header in JSON that gives each tensor its type, its shape and its place, and the
// values. As in the format's own library, the tensors must fill the rest of the file without a gap.
package safetensors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/thresh-dev/thresh/internal/tensor"
)

// headerBytesMost is the bound of the format's own library.
const headerBytesMost = 100_000_000

// Recognise reports whether a file of size bytes that begins like this looks like safetensors: a
// length that the file can have, and a JSON object.
func Recognise(head []byte, size int64) bool {
	if len(head) < 10 || head[8] != '{' || head[9] != '"' && head[9] != '}' {
		return false
	}
	n := binary.LittleEndian.Uint64(head)
	return n <= headerBytesMost && int64(n) <= size-8
}

// Read reads the header of a file of size bytes.
func Read(r io.ReaderAt, size int64) (*tensor.File, error) {
	var head [8]byte
	if size < 8 {
		return nil, fail(0, fmt.Errorf("%w: it has %d bytes", tensor.ErrEnded, size))
	}
	if n, err := r.ReadAt(head[:], 0); n < 8 {
		return nil, err
	}
	length := binary.LittleEndian.Uint64(head[:])
	switch {
	case length > headerBytesMost:
		return nil, fail(0, fmt.Errorf("a header of %d bytes; at most %d are allowed", length, headerBytesMost))
	case int64(length) > size-8:
		return nil, fail(0, fmt.Errorf("a header of %d bytes, and %w: it has %d", length, tensor.ErrEnded, size))
	}
	text := &utf8Reader{r: io.NewSectionReader(r, 8, int64(length)), off: 8}
	p := newParser(text, 8+int64(length), size)
	f, err := p.file()
	if text.err != nil { // the parser replaces such bytes
		err = text.err
	}
	if err != nil {
		return nil, err
	}
	f.Sort()
	return f, contiguous(f, 8+int64(length), size)
}

func fail(off int64, err error) error {
	return &tensor.Error{Format: "safetensors", Off: off, Err: err}
}

// contiguous checks that the tensors fill the file from the end of the header on.
func contiguous(f *tensor.File, from, size int64) error {
	at, before := from, "the header"
	for i := range f.Tensors {
		t := &f.Tensors[i]
		switch {
		case t.Offset < at:
			return fail(t.Offset, fmt.Errorf("tensor %q begins in the middle of %s, which ends at %d", t.Name, before, at))
		case t.Offset > at:
			return fail(at, fmt.Errorf("%d bytes between %s and tensor %q belong to nothing", t.Offset-at, before, t.Name))
		}
		at, before = t.Offset+t.Length, fmt.Sprintf("tensor %q", t.Name)
	}
	if at < size {
		return fail(at, fmt.Errorf("%d bytes behind %s belong to nothing", size-at, before))
	}
	return nil
}

// types are the types with whole bytes: as headers name them, as we do if their values can be looked
// at, and their width.
var types = [...]struct {
	stored, name string
	bytes        int
}{
	{"BF16", "bf16", 2}, {"F16", "f16", 2}, {"F32", "f32", 4}, {"F64", "f64", 8},
	{"F8_E4M3", "f8e4m3", 1}, {"F8_E5M2", "f8e5m2", 1}, {"BOOL", "u8", 1},
	{"I8", "i8", 1}, {"I16", "i16", 2}, {"I32", "i32", 4}, {"I64", "i64", 8},
	{"U8", "u8", 1}, {"U16", "u16", 2}, {"U32", "u32", 4}, {"U64", "u64", 8},
	{"C64", "", 8}, {"F8_E8M0", "", 1}, {"F8_E4M3FNUZ", "", 1}, {"F8_E5M2FNUZ", "", 1},
}

// typeOf returns our name of a type and its width; neither if it has no whole bytes, or is not known.
func typeOf(stored string) (name string, itemBytes int) {
	for _, t := range types {
		if t.stored == stored {
			return t.name, t.bytes
		}
	}
	return "", 0
}

var errShape = errors.New("its shape has more values than a file can hold")

// place checks an entry and returns its tensor; values begin at data in a file of size bytes.
func (e *entry) place(data, size int64) (tensor.Tensor, error) {
	t := tensor.Tensor{Name: e.name, Stored: e.dtype, Shape: e.shape, Offset: data + e.begin, Length: e.end - e.begin}
	t.Type, t.ItemBytes = typeOf(e.dtype)
	switch {
	case e.dtype == "" || e.shape == nil || !e.placed:
		return t, errors.New("dtype, shape or data_offsets is missing")
	case e.begin > e.end:
		return t, fmt.Errorf("its data ends at %d, before it begins at %d", e.end, e.begin)
	case e.end > size-data:
		return t, fmt.Errorf("its data ends at %d of the %d bytes behind the header: %w", e.end, size-data, tensor.ErrEnded)
	}
	if _, ok := tensor.Values(e.shape); !ok {
		return t, errShape
	}
	if t.ItemBytes == 0 { // values of 4 or 6 bits, and types to come
		return t, nil
	}
	if n, ok := tensor.Bytes(e.shape, t.ItemBytes); !ok {
		return t, errShape
	} else if n != t.Length {
		return t, fmt.Errorf("shape %v of %s takes %d bytes, and its data has %d", e.shape, e.dtype, n, t.Length)
	}
	return t, nil
}
