package gguf

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/thresh-dev/thresh/internal/tensor"
)

// cursor reads a header from its start to its end, in pieces. What it skips is not read.
type cursor struct {
	r         io.ReaderAt
	off, size int64
	order     binary.ByteOrder
	kept      []byte // bytes of the file from keptAt on
	keptAt    int64
	buffer    []byte
}

const pieceBytes = 64 << 10

func newCursor(r io.ReaderAt, size int64) *cursor {
	return &cursor{r: r, size: size, order: binary.LittleEndian, buffer: make([]byte, pieceBytes)}
}

// bytes returns the next n bytes, at most a piece, until the next call.
func (c *cursor) bytes(n int) ([]byte, error) {
	if c.off > headerBytesMost {
		return nil, fail(c.off, fmt.Errorf("the header has more than %d bytes", headerBytesMost))
	}
	if int64(n) > c.size-c.off {
		return nil, fail(c.off, fmt.Errorf("%d bytes are missing: %w, at %d", n, tensor.ErrEnded, c.size))
	}
	if c.off < c.keptAt || c.off+int64(n) > c.keptAt+int64(len(c.kept)) {
		piece := c.buffer[:min(pieceBytes, c.size-c.off)]
		if got, err := c.r.ReadAt(piece, c.off); got < len(piece) {
			return nil, err
		}
		c.kept, c.keptAt = piece, c.off
	}
	b := c.kept[c.off-c.keptAt:][:n]
	c.off += int64(n)
	return b, nil
}

// skip passes over n bytes.
func (c *cursor) skip(n uint64) error {
	if n > uint64(c.size-c.off) {
		return fail(c.off, fmt.Errorf("%d bytes are missing: %w, at %d", n, tensor.ErrEnded, c.size))
	}
	c.off += int64(n)
	return nil
}

func (c *cursor) uint32() (uint32, error) {
	b, err := c.bytes(4)
	if err != nil {
		return 0, err
	}
	return c.order.Uint32(b), nil
}

func (c *cursor) uint64() (uint64, error) {
	b, err := c.bytes(8)
	if err != nil {
		return 0, err
	}
	return c.order.Uint64(b), nil
}

// text reads a string of at most so many bytes.
func (c *cursor) text(most uint64) (string, error) {
	at := c.off
	n, err := c.uint64()
	if err != nil {
		return "", err
	}
	if n > most {
		return "", fail(at, fmt.Errorf("a name of %d bytes; at most %d are allowed", n, most))
	}
	b, err := c.bytes(int(n))
	return string(b), err
}

// Types of metadata values.
const (
	uint32Value = 4
	stringValue = 8
	arrayValue  = 9
)

// valueBytes are the widths of the others.
var valueBytes = [...]uint64{0: 1, 1: 1, 2: 2, 3: 2, uint32Value: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}

// widthOf returns the width of a value; ok is false for strings, arrays and what is not known.
func widthOf(kind uint32) (width uint64, ok bool) {
	if kind >= uint32(len(valueBytes)) || valueBytes[kind] == 0 {
		return 0, false
	}
	return valueBytes[kind], true
}

// entry reads a pair of key and value of the metadata, of which only the alignment matters.
func (h *header) entry() error {
	key, err := h.text(keyBytesMost - 1)
	if err != nil {
		return err
	}
	at := h.off
	kind, err := h.uint32()
	if err != nil {
		return err
	}
	if key != alignmentKey {
		return h.skipValue(kind, 0)
	}
	n, err := h.uint32()
	switch {
	case err != nil:
		return err
	case kind != uint32Value || n == 0 || n%8 != 0 || n > math.MaxInt32:
		return fail(at, fmt.Errorf("the alignment is %d, and must be a multiple of 8", n))
	case h.aligned:
		return fail(at, fmt.Errorf("%s comes twice", alignmentKey))
	}
	h.alignment, h.aligned = uint64(n), true
	return nil
}

// skipValue passes over a value of a type.
func (c *cursor) skipValue(kind uint32, depth int) error {
	if width, ok := widthOf(kind); ok {
		return c.skip(width)
	}
	at := c.off
	switch kind {
	case stringValue:
		n, err := c.uint64()
		if err != nil {
			return err
		}
		return c.skip(n)
	case arrayValue:
		return c.skipArray(depth + 1)
	}
	return fail(at, fmt.Errorf("metadata of type %d, which is not known", kind))
}

func (c *cursor) skipArray(depth int) error {
	at := c.off
	if depth > depthMost {
		return fail(at, fmt.Errorf("arrays in arrays, more than %d deep", depthMost))
	}
	kind, err := c.uint32()
	if err != nil {
		return err
	}
	n, err := c.uint64()
	if err != nil {
		return err
	}
	if width, ok := widthOf(kind); ok {
		if n > math.MaxUint64/width {
			return fail(at, fmt.Errorf("an array of %d values", n))
		}
		return c.skip(n * width)
	}
	for range n { // each takes bytes, so the file ends before this does
		if err := c.skipValue(kind, depth); err != nil {
			return err
		}
	}
	return nil
}
