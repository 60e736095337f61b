// Package tensor describes the arrays of numbers in files that say themselves what they hold: their
// names, types, shapes and places. The packages below it read the headers of such files, and never
// the numbers.
//
// Headers come from anywhere, so nothing in them is believed: a length is compared with the file
// before it is used, and what is kept is bounded.
package tensor

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Tensor is one array.
type Tensor struct {
	Name        string  // empty in a file that holds a single array without a name
	Type        string  // of the values, as compare.ParseType reads it; empty if they cannot be looked at
	Stored      string  // the type as the header names it
	ItemBytes   int     // of a value; 0 if it is not known, as of values that are packed in blocks
	Shape       []int64 // outermost dimension first; empty for a single number
	ColumnMajor bool    // neighbours in the file differ in the first index, not in the last
	Offset      int64   // of the first value in the file
	Length      int64   // in bytes; -1 if it is not known
}

// File is what a header says.
type File struct {
	Format  string   // "npy", "safetensors" or "gguf"
	Tensors []Tensor // by ascending offset
	// Trailing is how many bytes follow the last array.
	Trailing int64
}

// Error is a header that cannot be right, or that ends too early.
type Error struct {
	Format string
	Off    int64 // in the file
	Err    error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s header, at byte %d: %v", e.Format, e.Off, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// ErrEnded is why a header or an array cannot be read: the file ends before.
var ErrEnded = errors.New("the file ends before")

const (
	// DimensionsMost bounds the dimensions of a tensor: numpy has at most 64.
	DimensionsMost = 64
	// TensorsMost bounds the tensors of a file, and so the memory for its header.
	TensorsMost = 1 << 18
	// NameBytesMost bounds the name of a tensor.
	NameBytesMost = 4 << 10
)

// Values returns the number of values of a shape; ok is false if it is negative or too large to be
// counted.
func Values(shape []int64) (n int64, ok bool) {
	n = 1
	for _, d := range shape {
		if d < 0 {
			return 0, false
		}
	}
	if slices.Contains(shape, 0) {
		return 0, true
	}
	for _, d := range shape {
		if n > math.MaxInt64/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// Bytes returns the size of so many values of a shape; ok is false if it is too large for a file.
func Bytes(shape []int64, itemBytes int) (n int64, ok bool) {
	n, ok = Values(shape)
	if !ok || n > math.MaxInt64/int64(itemBytes) {
		return 0, false
	}
	return n * int64(itemBytes), true
}

// Index returns the index of the value that begins at an offset of the file, outermost dimension
// first. It is nil if no value begins there, or the size of values is not known.
func (t *Tensor) Index(off int64) []int64 {
	if t.ItemBytes <= 0 || off < t.Offset || (off-t.Offset)%int64(t.ItemBytes) != 0 {
		return nil
	}
	n := (off - t.Offset) / int64(t.ItemBytes)
	index := make([]int64, len(t.Shape))
	for i := range t.Shape {
		at := len(t.Shape) - 1 - i
		if t.ColumnMajor {
			at = i
		}
		if t.Shape[at] <= 0 {
			return nil
		}
		index[at] = n % t.Shape[at]
		n /= t.Shape[at]
	}
	if n > 0 {
		return nil
	}
	return index
}

// Sort orders the tensors by their place.
func (f *File) Sort() {
	slices.SortStableFunc(f.Tensors, func(a, b Tensor) int {
		switch {
		case a.Offset != b.Offset && a.Offset < b.Offset:
			return -1
		case a.Offset != b.Offset:
			return 1
		}
		return int(min(max(a.Length, -1), 1)) - int(min(max(b.Length, -1), 1)) // empty ones first
	})
}
