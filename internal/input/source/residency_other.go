//go:build !linux

package source

import "errors"

// errNoResidency means that this system cannot report what is in the page cache.
var errNoResidency = errors.ErrUnsupported

// CachedBytes returns errors.ErrUnsupported on this system.
func (f *File) CachedBytes(Range) (int64, error) { return 0, errNoResidency }

// Uncached returns errors.ErrUnsupported on this system.
func (f *File) Uncached(Range) ([]Range, error) { return nil, errNoResidency }

// Drop returns errors.ErrUnsupported on this system.
func (f *File) Drop(Range) error { return errNoResidency }
