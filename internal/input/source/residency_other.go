//go:build !linux

package source

import "errors"

// errNoResidency tells that this system does not say what is in its page cache.
var errNoResidency = errors.ErrUnsupported

// CachedBytes returns errors.ErrUnsupported on this system.
func (f *File) CachedBytes(Range) (int64, error) { return 0, errNoResidency }

// Uncached returns errors.ErrUnsupported on this system.
func (f *File) Uncached(Range) ([]Range, error) { return nil, errNoResidency }

// Drop returns errors.ErrUnsupported on this system.
func (f *File) Drop(Range) error { return errNoResidency }
