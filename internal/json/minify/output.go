package minify

import (
	"fmt"
	"io"
	"os"
)

// Output is where what stays goes.
type Output struct {
	w     io.Writer
	file  *os.File // w, where it is a file that can be written anywhere; nil otherwise
	begin int64    // of the text in it
	spare bool     // blocks were reserved behind the text
}

// NewOutput begins to write to w. A regular file that is not appended to is written from
// where it stands, by all workers at once, and stands behind the text in the end. Anything
// else is written in order.
func NewOutput(w io.Writer) (*Output, error) {
	o := &Output{w: w}
	f, ok := w.(*os.File)
	if !ok || !writableAnywhere(f) {
		return o, nil
	}
	var err error
	if o.begin, err = f.Seek(0, io.SeekCurrent); err != nil {
		return nil, o.failed(0, err)
	}
	o.file = f
	return o, nil
}

// reserveBytesMin is the text below which reserving takes longer than it saves.
const reserveBytesMin = 1 << 20

// Expect prepares for a text of at most n bytes. Of a file that goes on behind the text nothing
// is reserved, as what is left over could not be given back.
func (o *Output) Expect(n int64) (err error) {
	if o.file == nil || n < reserveBytesMin {
		return nil
	}
	info, err := o.file.Stat()
	if err != nil {
		return o.failed(0, err)
	}
	o.spare = info.Size() <= o.begin && reserve(o.file, o.begin, n)
	return nil
}

// WriteError tells that something could not be written.
type WriteError struct {
	Name string // of the output; may be empty
	Off  int64  // in it
	Err  error
}

func (e *WriteError) Error() string {
	return fmt.Sprintf("write %s at %d: %v", e.Name, e.Off, e.Err)
}

func (e *WriteError) Unwrap() error { return e.Err }

func (o *Output) failed(off int64, err error) error {
	e := &WriteError{Name: "output", Off: o.begin + off, Err: err}
	if f, ok := o.w.(*os.File); ok {
		e.Name = f.Name()
	}
	if path, ok := err.(*os.PathError); ok {
		e.Err = path.Err
	}
	return e
}

// Anywhere reports whether several may write at once.
func (o *Output) Anywhere() bool { return o.file != nil }

// write writes what belongs at an offset of the text, and returns how much of it was written: all,
// or there is an error. Where it must be in order, it is.
func (o *Output) write(b []byte, at int64) (n int, err error) {
	if len(b) == 0 {
		return 0, nil
	}
	if o.file != nil {
		n, err = o.file.WriteAt(b, o.begin+at)
	} else {
		n, err = o.w.Write(b)
	}
	if err == nil && n != len(b) {
		err = io.ErrShortWrite
	}
	n = min(max(n, 0), len(b))
	if err != nil {
		return n, o.failed(at+int64(n), err)
	}
	return n, nil
}

// advance moves the file's position behind a text of so many bytes, and gives back what was
// reserved behind it.
func (o *Output) advance(n int64) error {
	if o.file == nil {
		return nil
	}
	if o.spare {
		o.spare = false
		if err := o.file.Truncate(o.begin + n); err != nil {
			return o.failed(n, err)
		}
	}
	if _, err := o.file.Seek(o.begin+n, io.SeekStart); err != nil {
		return o.failed(n, err)
	}
	return nil
}
