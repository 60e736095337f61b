// Package zerocopy wraps readers, writers and connections without losing sendfile and
// splice.
package zerocopy

import (
	"context"
	"io"
)

// Method is how bytes went.
type Method uint8

// The methods.
const (
	ByCopy          Method = iota // through memory of the process: read and write
	BySendfile                    // from a file to a socket inside the kernel
	BySplice                      // from a socket to a socket, or to a file, inside the kernel
	ByCopyFileRange               // from a file to a file inside the kernel
	methods
)

// String returns the name of the system call, or "copy".
func (m Method) String() string {
	return [methods]string{"copy", "sendfile", "splice", "copy_file_range"}[m]
}

// Result is what a copy did: bytes and system calls by method.
type Result struct {
	Bytes [methods]int64
	Calls [methods]int64
}

// Total returns the bytes of all methods.
func (r Result) Total() (n int64) {
	for _, b := range r.Bytes {
		n += b
	}
	return n
}

// Hook sees every slice of a transfer and may hold it up.
type Hook interface {
	// Before is called before up to want bytes go, and returns how many may, at least one.
	// It may wait, until ctx ends at the latest. An error ends the transfer.
	Before(ctx context.Context, want int64) (int64, error)
	// After is called with the bytes that went, also when they were fewer than allowed.
	After(n int64, m Method)
}

// Hooks are those of the two directions of a connection.
type Hooks struct{ Read, Write []Hook }

// Copy copies from src to dst until src ends, on the best path that the two allow.
func Copy(dst io.Writer, src io.Reader) (Result, error) {
	n, err := io.Copy(dst, src)
	return Result{Bytes: [methods]int64{ByCopy: n}}, err
}
