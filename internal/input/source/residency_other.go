//go:build !linux

package source

import "errors"

// errNoResidency means that this system cannot report what is in the page cache.
var errNoResidency = errors.ErrUnsupported

// CachedBytes returns errors.ErrUnsupported on this system, except for bytes in memory.
func (f *File) CachedBytes(r Range) (int64, error) {
	if f.f == nil {
		return f.cachedNoFile(r)
	}
	return 0, errNoResidency
}

// Uncached returns errors.ErrUnsupported on this system, except for what is no file.
func (f *File) Uncached(Range) ([]Range, error) {
	if f.f == nil {
		return nil, nil
	}
	return nil, errNoResidency
}

// Drop returns errors.ErrUnsupported on this system.
func (f *File) Drop(Range) error { return errNoResidency }
