package zerocopy

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"reflect"
	"strconv"
)

// Method says how bytes were transferred.
type Method uint8

// The transfer methods.
const (
	ByCopy          Method = iota // read and write, through a buffer of the process
	BySendfile                    // from a file to a socket, inside the kernel
	BySplice                      // from a socket to a socket or a file, inside the kernel
	ByCopyFileRange               // from a file to a file, inside the kernel
)

// methods is the number of methods.
const methods = ByCopyFileRange + 1

// String returns the name of the system call, or "copy"; "method 9" for a method that is none.
func (m Method) String() string {
	if m >= methods {
		return "method " + strconv.Itoa(int(m))
	}
	return [methods]string{"copy", "sendfile", "splice", "copy_file_range"}[m]
}

// Hook observes every slice of a transfer and may delay or shorten it. A copy uses slices of
// at most 2 MiB. A hook that is attached to several transfers must be safe for concurrent use; within one transfer
// its methods are called in turn, never concurrently.
type Hook interface {
	// Before is called before each slice and returns how many of the next want bytes may be
	// transferred: at least 1, at most want. Other values end the transfer with an error. Before
	// may block, but must return when ctx ends. An error ends the transfer and is returned from it.
	Before(ctx context.Context, want int64) (int64, error)
	// After is called once for each Before that returned no error, with the number of bytes
	// transferred and their method. n may be less than allowed, even 0, and the transfer may still
	// go on.
	After(n int64, m Method)
}

// Hooks are the hooks of a connection, one list for each direction. They run in order; each sees at
// most what the ones before it allowed.
type Hooks struct{ Read, Write []Hook }

// Copy copies from src to dst until src ends, on the fastest path that the two allow. At both ends
// it looks through the wrappers of this package, through any number of nested io.LimitedReaders and
// through sections, and it runs the hooks of these wrappers around every slice. It returns what was
// transferred even if there was an error. Like io.Copy, it does not return io.EOF. Copy panics if dst
// or src is nil.
func Copy(dst io.Writer, src io.Reader) (Result, error) {
	requireEnds("Copy", dst, src)
	return transferReported(dst, src)
}

// CopyN copies n bytes. If it copied fewer, it returns an error; io.EOF if src ended early.
func CopyN(dst io.Writer, src io.Reader, n int64) (Result, error) {
	requireEnds("CopyN", dst, src)
	if n < 0 {
		return Result{}, fmt.Errorf("zerocopy.CopyN: n is %d, which is negative", n)
	}
	r, err := transferReported(dst, &io.LimitedReader{R: src, N: n})
	if err == nil && r.Total() < n {
		err = io.EOF
	}
	return r, err
}

// SendFile sends n bytes of f to dst, starting at offset off. It neither uses nor moves the file's
// own offset, so any number of goroutines may send from one open file. If the file ends early it
// sends fewer bytes and returns no error.
func SendFile(dst net.Conn, f *os.File, off, n int64) (Result, error) {
	require("SendFile", "connection", dst)
	require("SendFile", "file", f)
	if off < 0 || n < 0 {
		return Result{}, fmt.Errorf("zerocopy.SendFile: off is %d and n is %d: neither may be negative", off, n)
	}
	return transferReported(dst, NewSection(f, off, n, nil))
}

// require panics if an argument of a constructor is nil, or an interface that holds a nil pointer or
// function: it would fail at its first byte, far from the mistake. A nil map or slice may be a valid
// empty value of a type with methods.
func require(function, argument string, value any) {
	v := reflect.ValueOf(value)
	switch k := v.Kind(); {
	case k == reflect.Invalid:
		panic(fmt.Sprintf("zerocopy.%s: the %s is nil", function, argument))
	case (k == reflect.Pointer || k == reflect.Func) && v.IsNil():
		panic(fmt.Sprintf("zerocopy.%s: the %s is a nil %v", function, argument, v.Type()))
	}
}

// hookNames are constants, because a connection of a server should not pay for a text.
var hookNames = [...]string{"first hook", "second hook", "third hook", "fourth or a later hook"}

func requireHooks(function string, hooks []Hook) {
	for i, h := range hooks {
		require(function, hookNames[min(i, len(hookNames)-1)], h)
	}
}

// requireEnds panics if an end of a copy is a nil interface. The error of a nil *os.File or
// *net.TCPConn is that of its Read or Write.
func requireEnds(function string, dst, src any) {
	if dst == nil {
		panic("zerocopy." + function + ": the destination is nil")
	}
	if src == nil {
		panic("zerocopy." + function + ": the source is nil")
	}
}
