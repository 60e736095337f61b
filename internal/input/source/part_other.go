//go:build !unix

package source

import "errors"

func (f *File) mapPart(Range) (*Part, error) { return nil, errors.ErrUnsupported }

// Use calls visit with the bytes.
func (p *Part) Use(visit func(text []byte)) (read int64, err error) {
	visit(p.text)
	return 0, nil
}
