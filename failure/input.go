package failure

import (
	"errors"
	"fmt"
)

var (
	// ErrClosed is returned for an Input that is closed, nil, or the zero value.
	ErrClosed = errors.New("the input is closed")
	// ErrDirectory is returned by Open for a folder.
	ErrDirectory = errors.New("is a directory")
	// ErrSameFile is returned by Minify if the output is the input: it would be overwritten while it is read.
	ErrSameFile = errors.New("the output is the input")
	// ErrNoTensors is returned by OpenTensors for a file that does not say which arrays of numbers it
	// holds: one of another format, a stream, or a device.
	ErrNoTensors = errors.New("it does not say which arrays of numbers it holds")

	// ErrTruncated is why a compressed file that ends too early cannot be read to its end.
	ErrTruncated = errors.New("it ends too early: the file is truncated")
	// ErrEnded is why a range cannot be read that a file had when it was opened: it has shrunk.
	ErrEnded = errors.New("the input ends here (it may have shrunk while it was read)")
	// ErrShrank is why a mapped file cannot be read any more: it shrank, or its storage failed.
	ErrShrank = errors.New("the file shrank, or its storage failed, while it was read")
)

// UnreadError is a range of an input that could not be read. Err says why, and can be examined by
// errors.Is: the error of the system, or ErrTruncated, ErrEnded or ErrShrank.
type UnreadError struct {
	Name string // of the input
	Off  int64
	Len  int64 // 0 if it is not known: a stream broke off
	Err  error
}

func (e *UnreadError) Error() string {
	if e.Len == 0 {
		return fmt.Sprintf("read %s at %d: %v", e.Name, e.Off, e.Err)
	}
	return fmt.Sprintf("read %s at %d: %d bytes unread: %v", e.Name, e.Off, e.Len, e.Err)
}

// Unwrap returns the reason.
func (e *UnreadError) Unwrap() error { return e.Err }

// RangeError is a range that does not lie within the input.
type RangeError struct {
	Name     string // of the input
	Off, Len int64  // Len is negative if the range begins after the end
	Bytes    int64  // size of the input
}

func (e *RangeError) Error() string {
	if e.Len < 0 {
		return fmt.Sprintf("%s has %d bytes: a range of bytes from %d lies outside", e.Name, e.Bytes, e.Off)
	}
	return fmt.Sprintf("%s has %d bytes: a range of %d bytes from %d lies outside", e.Name, e.Bytes, e.Len, e.Off)
}

// EngineError is an engine that was asked for and cannot read the input on this machine.
type EngineError struct {
	Engine string
	Name   string // of the input
	Reason string // for people, with what can be done
	Err    error  // of the system, or nil
}

func (e *EngineError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("engine %s cannot read %s: %s", e.Engine, e.Name, e.Reason)
	}
	return fmt.Sprintf("engine %s cannot read %s: %s: %v", e.Engine, e.Name, e.Reason, e.Err)
}

// Unwrap returns the error of the system.
func (e *EngineError) Unwrap() error { return e.Err }

// TensorError is a file of tensors that cannot be used: its header is wrong or cut off, or it has no
// tensor of that name.
type TensorError struct {
	Name string // of the file
	Off  int64  // of the fault in the header, -1 if it is not in a header
	Err  error
}

func (e *TensorError) Error() string { return fmt.Sprintf("%s: %v", e.Name, e.Err) }

// Unwrap returns the reason.
func (e *TensorError) Unwrap() error { return e.Err }

// WriteError is an output of Minify or Grep that cannot be written.
type WriteError struct {
	Name string // of the output; may be empty
	Off  int64  // in the output
	Err  error
}

func (e *WriteError) Error() string { return fmt.Sprintf("write %s at %d: %v", e.Name, e.Off, e.Err) }

// Unwrap returns the error of the writer.
func (e *WriteError) Unwrap() error { return e.Err }
