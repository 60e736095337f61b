package source

import "errors"

// ErrNotSmall is returned by SmallReader.Read for what has to be opened and read in the usual way.
var ErrNotSmall = errors.New("no regular file that fits into the buffer")

// headBytes is how much SmallReader.Read returns of a file that is too large.
const headBytes = 64
