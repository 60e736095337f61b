package encode

import (
	"io"
	"slices"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// outputBytes is how much is buffered before a write. A system call for every 64 KiB costs little,
// and a larger buffer would only delay the reader of a pipe.
var outputBytes = threshold.New("output: bytes buffered before a write", 64<<10, 1)

// output buffers bytes for w. Writers append to buf and call spill after each row.
type output struct {
	w   io.Writer
	buf []byte
	off int64 // bytes written before buf

	flushBytes int // spill writes buf from this size on

	err   error
	notes []string // notes that the format has no place for
}

func newOutput(w io.Writer) output {
	return output{w: w, flushBytes: outputBytes.Get(), buf: make([]byte, 0, outputBytes.Get()/4*5)}
}

// spill writes the buffer if it is large enough.
func (o *output) spill() error {
	if len(o.buf) < o.flushBytes {
		return o.err
	}
	return o.flush()
}

// flush writes the buffer.
func (o *output) flush() error {
	if o.err == nil && len(o.buf) > 0 {
		n, err := o.w.Write(o.buf)
		if err == nil && n < len(o.buf) {
			err = io.ErrShortWrite
		}
		o.off += int64(n)
		o.err = err
	}
	o.buf = o.buf[:0]
	return o.err
}

// Rows writes formatted rows, after what is in the buffer. Many are written from where they are.
func (o *output) Rows(text []byte) error {
	if len(text) < o.flushBytes {
		o.buf = append(o.buf, text...)
		return o.flush()
	}
	if o.flush() == nil {
		buf := o.buf
		o.buf = text
		o.err = o.flush()
		o.buf = buf
	}
	return o.err
}

// fail keeps the first error.
func (o *output) fail(err error) error {
	if o.err == nil {
		o.err = err
	}
	return o.err
}

// Notes returns the notes that the caller should show.
func (o *output) Notes() []string { return o.notes }

// Close writes the buffer.
func (o *output) Close() error { return o.flush() }

// columnsOf returns a copy of the columns. It panics if there are none: not every format can
// write an answer without columns.
func columnsOf(columns []Column) []Column {
	if len(columns) == 0 {
		panic("thresh: bug: an answer without columns")
	}
	return slices.Clone(columns)
}

// check panics if a row does not fit its columns.
func check(columns []Column, values []Value) {
	if len(columns) != len(values) {
		panic("thresh: bug: a row with more or fewer values than its answer has columns")
	}
}
