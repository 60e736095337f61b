// Package splice passes bytes from one socket to another inside the kernel, through pipes
// that are held only while bytes are in flight.
//
// A connection that waits holds no pipe, so a pool of a few dozen serves any number of
// connections, and an ordinary user stays inside the budget that the kernel sets (see
// Pipes). Waiting is the netpoller's: no thread is parked for a socket.
package splice

import "errors"

// Moved is what has gone from one socket to another.
type Moved struct {
	Bytes int64 // that the destination's socket took
	Lost  int64 // taken from the source and still in the pipe when the destination failed
	Calls int64 // system calls that moved, or tried to move, bytes
}

// ErrNoPipe is returned when all pipes are in use. It is an errors.ErrUnsupported: the
// remedy is the same, to copy. What had moved before it came has moved.
var ErrNoPipe error = noPipe{}

type noPipe struct{}

func (noPipe) Error() string        { return "splice: all pipes are in use" }
func (noPipe) Is(target error) bool { return target == errors.ErrUnsupported }
