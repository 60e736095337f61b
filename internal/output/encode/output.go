package encode

import (
	"io"
	"slices"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// outputBytes is how much is gathered before it is written: a system call for every 64 KiB
// costs little, and more would only wait longer in a pipe.
var outputBytes = threshold.New("present: bytes gathered before they are written", 64<<10, 1)

// output gathers bytes for w. Writers append to buf and call spill after each row.
type output struct {
	w   io.Writer
	buf []byte
	off int64 // bytes written before buf

	flushBytes int // bytes in buf that are worth writing

	err   error
	notes []string // what the format had no place for
}

func newOutput(w io.Writer) output {
	return output{w: w, flushBytes: outputBytes.Get(), buf: make([]byte, 0, outputBytes.Get()/4*5)}
}

// spill writes what was gathered if that is enough to be worth it.
func (o *output) spill() error {
	if len(o.buf) < o.flushBytes {
		return o.err
	}
	return o.flush()
}

// flush writes all that was gathered.
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

// fail keeps the first error.
func (o *output) fail(err error) error {
	if o.err == nil {
		o.err = err
	}
	return o.err
}

// Notes returns the notes that are left for the caller to show.
func (o *output) Notes() []string { return o.notes }

// Close writes what is held back.
func (o *output) Close() error { return o.flush() }

// columnsOf panics where an answer has no columns, of which not every format can tell.
func columnsOf(columns []Column) []Column {
	if len(columns) == 0 {
		panic("thresh: bug: an answer without columns")
	}
	return slices.Clone(columns)
}

// check panics where a row does not fit its columns.
func check(columns []Column, values []Value) {
	if len(columns) != len(values) {
		panic("thresh: bug: a row with more or fewer values than its answer has columns")
	}
}
