package source

import (
	"errors"
	"fmt"
)

// Part is a part of a file in memory. It is mapped if possible, and then needs no memory of the
// program's own.
type Part struct {
	mapping []byte
	text    []byte
	cut     bool
}

// Bytes returns the length of the part.
func (p *Part) Bytes() int64 { return int64(len(p.text)) }

// partBytesMax is the largest part that is read if the file cannot be mapped.
const partBytesMax = 1 << 20

// Cut reports whether the part ends before the range for which it was made.
func (p *Part) Cut() bool { return p.cut }

// Part returns the first part of a range of the file. The part is the whole range, unless the range
// is long and cannot be mapped, or its end cannot be read. Call Use once to release the part.
func (f *File) Part(r Range) (*Part, error) {
	if f.Kind == Memory {
		return &Part{text: f.data[r.Off:r.End]}, nil
	}
	p, err := f.mapPart(r)
	if err == nil {
		return p, nil
	}
	b := make([]byte, min(r.Len(), partBytesMax))
	n, readErr := f.ReadAt(b, r.Off)
	if n == 0 && readErr != nil {
		return nil, fmt.Errorf("read a part of %s at %d: %w", f.Name, r.Off, errors.Join(err, readErr))
	}
	return &Part{text: b[:n], cut: n < len(b)}, nil
}
