// Package splice moves bytes from one socket to another inside the kernel, through pipes that are
// held only while bytes are in flight.
//
// A connection that waits holds no pipe. So a pool of a few dozen pipes serves any number of
// connections, and an ordinary user stays within the kernel's budget (see PipePool). Goroutines
// wait for sockets in the netpoller; no thread blocks.
package splice

import "errors"

// Moved counts what a Splicer has moved.
type Moved struct {
	Bytes int64 // bytes that the destination's socket accepted
	Lost  int64 // bytes read from the source and still in the pipe when the destination failed
	Calls int64 // calls of splice, including those that moved nothing
}

// ErrNoPipe is returned when no pipe is available. It matches errors.ErrUnsupported because the
// remedy is the same: copy. Bytes moved before the error stay moved.
var ErrNoPipe error = noPipe{}

type noPipe struct{}

func (noPipe) Error() string        { return "splice: all pipes are in use" }
func (noPipe) Is(target error) bool { return target == errors.ErrUnsupported }
