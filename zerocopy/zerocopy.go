package zerocopy

import (
	"context"
	"io"
	"net"
	"os"
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

// Result is what a copy did: bytes and system calls by method. Where the destination's own
// ReadFrom did the work, as that of an http.ResponseWriter does, a slice is one call and the
// method is the one that Path tells.
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

func (r *Result) add(o Result) {
	for m := range r.Bytes {
		r.Bytes[m] += o.Bytes[m]
		r.Calls[m] += o.Calls[m]
	}
}

// Hook sees every slice of a transfer and may hold it up. A hook may serve several
// transfers, and then its methods run concurrently.
type Hook interface {
	// Before is called before up to want bytes go, and returns how many may, at least one
	// and at most want. It may wait, until ctx ends at the latest. An error ends the
	// transfer.
	Before(ctx context.Context, want int64) (int64, error)
	// After is called with the bytes that went, once for each Before that brought no
	// error. They may be fewer than allowed, also none, and the transfer may still go on.
	After(n int64, m Method)
}

// Hooks are those of the two directions of a connection.
type Hooks struct{ Read, Write []Hook }

// Copy copies from src to dst until src ends, on the best path that the two allow: it looks
// through the wrappers of this package, through any nest of limits, and through sections, at
// both ends, and calls the hooks that it meets around every slice. An error of either end
// comes with what went before it. A copy that ends because src did has no error.
func Copy(dst io.Writer, src io.Reader) (Result, error) {
	return transferAll(dst, src, true)
}

// CopyN copies n bytes, or fewer with an error; that is io.EOF when src ended early.
func CopyN(dst io.Writer, src io.Reader, n int64) (Result, error) {
	r, err := transferAll(dst, &io.LimitedReader{R: src, N: n}, true)
	if err == nil && r.Total() < n {
		err = io.EOF
	}
	return r, err
}

// SendFile sends n bytes of f from off on to dst, and leaves the file's own offset alone, so
// that any number of goroutines may send from one open file. It sends fewer, without an
// error, when the file ends early.
func SendFile(dst net.Conn, f *os.File, off, n int64) (Result, error) {
	return transferAll(dst, NewSection(f, off, n, nil), true)
}
