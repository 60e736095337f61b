//go:build !unix

package source

import "io"

// mapRange reads the range: this system has no mapping to offer.
func (f *File) mapRange(r Range) (*Line, error) {
	b := make([]byte, r.Len())
	n, err := f.f.ReadAt(b, r.Off)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return &Line{text: b[:n]}, nil
}

// Use calls visit with the line.
func (l *Line) Use(visit func(text []byte)) (fault int64, err error) {
	visit(l.text)
	return 0, nil
}
