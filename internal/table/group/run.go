package group

import (
	"fmt"
	"io"
	"os"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// mark is a position in a run where a reader may start.
type mark struct {
	key string // of the record there
	off int64
}

var (
	markBytes    = threshold.New("group: initial distance of marks in bytes", 16<<10, 1)
	marksMax     = threshold.NewMultiple("group: marks of a run, before every second one is dropped", 4096, 2, 2)
	markKeyBytes = threshold.New("group: longest key of a mark", 256, 1)
)

// writer appends a run to the temporary file.
type writer struct {
	spill *spilled
	buf   []byte
	n     int
	run   run
	every int64 // distance of marks in bytes
}

func newWriter(s *spilled, bufBytes int) *writer {
	if len(s.buffer) < bufBytes {
		s.buffer = make([]byte, bufBytes)
	}
	return &writer{spill: s, buf: s.buffer, run: run{off: s.end, end: s.end}, every: int64(markBytes.Get())}
}

// add writes a record. The caller passes groups in ascending order of their keys.
func (w *writer) add(key []byte, words []uint64, objects []byte) error {
	most := recordMost(len(key), len(words), len(objects))
	if len(w.buf)-w.n < most {
		if err := w.flush(); err != nil {
			return err
		}
		if len(w.buf) < most {
			w.buf = make([]byte, most)
		}
	}
	w.mark(key)
	w.n += putRecord(w.buf[w.n:], key, words, objects)
	return nil
}

// mark notes the position of the next record, if the last mark is far enough back.
func (w *writer) mark(key []byte) {
	off, marks := w.run.end+int64(w.n), w.run.marks
	if len(key) > markKeyBytes.Get() || len(marks) > 0 && off < marks[len(marks)-1].off+w.every {
		return
	}
	if half := marksMax.Get() / 2; len(marks) == 2*half {
		for i := range half {
			marks[i] = marks[2*i]
		}
		clear(marks[half:])
		marks = marks[:half]
		w.every *= 2
	}
	w.run.marks = append(marks, mark{string(key), off})
}

func (w *writer) flush() error {
	if _, err := w.spill.file.WriteAt(w.buf[:w.n], w.run.end); err != nil {
		return w.spill.file.Failed("spill to", err)
	}
	w.run.end += int64(w.n)
	w.n = 0
	return nil
}

func (w *writer) finish() (run, error) {
	err := w.flush()
	w.spill.end = w.run.end
	return w.run, err
}

// reader reads records of a run, in large reads.
type reader struct {
	spill    *spilled
	off, end int64  // the part of the file that is still to be read
	buf      []byte // wordSlack bytes longer than the data in it
	at, n    int    // buf[at:n] is read but not used yet
}

// reset makes the reader read a section of the file.
func (r *reader) reset(off, end int64) { r.off, r.end, r.at, r.n = off, end, 0, 0 }

// next returns the bounds in buf of the next record's body. ok is false after the last record.
func (r *reader) next() (from, to int, ok bool, err error) {
	if r.at == r.n && r.off == r.end {
		return 0, 0, false, nil
	}
	if err := r.buffer(1); err != nil {
		return 0, 0, false, err
	}
	if r.buf[r.at] > bodyBytesShort {
		if err := r.buffer(5); err != nil {
			return 0, 0, false, err
		}
	}
	head, body, _ := recordSize(r.buf[r.at:r.n])
	if err := r.buffer(head + body); err != nil {
		return 0, 0, false, err
	}
	from = r.at + head
	r.at = from + body
	return from, r.at, true, nil
}

// buffer reads on until there are so many bytes in buf.
func (r *reader) buffer(bytes int) error {
	if r.n-r.at >= bytes {
		return nil
	}
	rest := r.buf[r.at:r.n]
	if len(r.buf) < bytes+wordSlack {
		r.buf = make([]byte, bytes+wordSlack)
	}
	r.n, r.at = copy(r.buf, rest), 0
	want := r.buf[r.n : len(r.buf)-wordSlack]
	want = want[:min(int64(len(want)), r.end-r.off)]
	n, err := r.spill.file.ReadAt(want, r.off)
	r.off += int64(n)
	r.n += n
	if err == io.EOF || err == nil && r.n < bytes {
		err = &os.PathError{Op: "read", Path: r.spill.file.Name(), Err: io.ErrUnexpectedEOF}
	}
	if err != nil {
		return r.spill.file.Failed(fmt.Sprintf("read back at %d what was spilled to", r.off), err)
	}
	return nil
}
