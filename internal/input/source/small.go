package source

import "errors"

// ErrNotSmall is returned by SmallReader.Read for an input that must be opened and read in the usual
// way.
var ErrNotSmall = errors.New("not a regular file that fits in the buffer")

// headBytes is how many bytes SmallReader.Read returns of a file that is too large.
const headBytes = 64
