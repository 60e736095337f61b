package group

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"os"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// A record of a run consists of
//
//	the length of the rest: one byte, or 255 and four bytes
//	the length of the key, as a varint, and the key
//	the number of bytes of each word, in half a byte each
//	the words, without their high zero bytes
//	each object: its length plus one in four bytes, 0 for no object; then its encoding
const (
	bodyBytesShort = 254
	headBytesMax   = 5 + binary.MaxVarintLen64
	wordSlack      = 8 // a short word is written and read as 8 bytes
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

// add writes one group. The caller passes groups in ascending order of their keys.
func (w *writer) add(key []byte, words []uint64, objects []byte) error {
	most := headBytesMax + len(key) + (len(words)+1)/2 + 8*len(words) + wordSlack + len(objects)
	if len(w.buf)-w.n < most {
		if err := w.flush(); err != nil {
			return err
		}
		if len(w.buf) < most {
			w.buf = make([]byte, most)
		}
	}
	w.mark(key)
	b := w.buf[w.n:]
	at := 1 + binary.PutUvarint(b[1:], uint64(len(key)))
	at += copy(b[at:], key)
	sizes := b[at : at+(len(words)+1)/2]
	clear(sizes)
	at += len(sizes)
	for i, x := range words {
		n := (bits.Len64(x) + 7) / 8
		sizes[i/2] |= byte(n << (i % 2 * 4))
		binary.LittleEndian.PutUint64(b[at:], x)
		at += n
	}
	at += copy(b[at:], objects)
	if body := at - 1; body <= bodyBytesShort {
		b[0] = byte(body)
	} else {
		copy(b[5:], b[1:at])
		b[0] = bodyBytesShort + 1
		binary.LittleEndian.PutUint32(b[1:], uint32(body))
		at += 4
	}
	w.n += at
	w.run.groups++
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
	head, body := 1, int(r.buf[r.at])
	if body > bodyBytesShort {
		if err := r.buffer(5); err != nil {
			return 0, 0, false, err
		}
		head, body = 5, int(binary.LittleEndian.Uint32(r.buf[r.at+1:]))
	}
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
