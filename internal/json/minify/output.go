package minify

import (
	"io"
	"os"

	"github.com/thresh-dev/thresh/failure"
)

// Output is the destination of a minified text.
type Output struct {
	w        io.Writer
	file     *os.File // w, if it is a file that can be written at any offset; otherwise nil
	begin    int64    // the text's offset in the file
	reserved bool     // disk blocks may be allocated beyond the text
}

// NewOutput prepares to write to w. All workers write at once to a regular file that is not opened
// for appending: from its current position, which finally moves to the end of the text. Any other
// output is written in order.
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

// reserveBytesMin is the size below which reserving disk blocks takes longer than it saves.
const reserveBytesMin = 1 << 20

// Expect reserves disk blocks for a text of at most n bytes. If the file has content beyond its
// current position, nothing is reserved: truncating the file, which frees unused blocks, would
// delete that content.
func (o *Output) Expect(n int64) (err error) {
	if o.file == nil || n < reserveBytesMin {
		return nil
	}
	info, err := o.file.Stat()
	if err != nil {
		return o.failed(0, err)
	}
	o.reserved = info.Size() <= o.begin && reserve(o.file, o.begin, n)
	return nil
}

func (o *Output) failed(off int64, err error) error {
	e := &failure.WriteError{Name: "output", Off: o.begin + off, Err: err}
	if f, ok := o.w.(*os.File); ok {
		e.Name = f.Name()
	}
	if path, ok := err.(*os.PathError); ok {
		e.Err = path.Err
	}
	return e
}

// Anywhere reports whether workers can write at any offset, and so at the same time.
func (o *Output) Anywhere() bool { return o.file != nil }

// write writes b at an offset of the text and returns how many bytes it wrote. If these are fewer
// than len(b), there is an error. An output that needs order must be called in order.
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

// advance moves the file's position to the end of a text of n bytes, and frees the disk blocks that
// were reserved beyond it.
func (o *Output) advance(n int64) error {
	if o.file == nil {
		return nil
	}
	if o.reserved {
		o.reserved = false
		if err := o.file.Truncate(o.begin + n); err != nil {
			return o.failed(n, err)
		}
	}
	if _, err := o.file.Seek(o.begin+n, io.SeekStart); err != nil {
		return o.failed(n, err)
	}
	return nil
}
