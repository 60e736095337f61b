package group

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"os"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// A record of a run is
//
//	length of what follows, one byte; or 255 and four bytes
//	length of the key, as a varint, and the key
//	how many bytes each word takes, in half a byte each
//	the words, without zero bytes at their high ends
//	the objects: length and one in four bytes, 0 for none, and what the store made of it
const (
	bodyBytesShort = 254
	headBytesMax   = 5 + binary.MaxVarintLen64
	wordSlack      = 8 // words are written and read in full
)

// mark is a place in a run where reading may begin.
type mark struct {
	key string // of the record there
	off int64
}

var (
	markBytes    = threshold.New("group: bytes from mark to mark at first", 16<<10, 1)
	marksMax     = threshold.NewMultiple("group: marks of a run, before every second is forgotten", 4096, 2, 2)
	markKeyBytes = threshold.New("group: longest key of a mark", 256, 1)
)

// writer writes a run behind the others.
type writer struct {
	spill *spilled
	buf   []byte
	n     int
	run   run
	every int64 // bytes from mark to mark
}

func newWriter(s *spilled, bufBytes int) *writer {
	if len(s.buffer) < bufBytes {
		s.buffer = make([]byte, bufBytes)
	}
	return &writer{spill: s, buf: s.buffer, run: run{off: s.end, end: s.end}, every: int64(markBytes.Get())}
}

// add writes one group. Keys ascend.
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

// mark remembers where the next record is, if it is time.
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

// reader reads records of a run, in big reads.
type reader struct {
	spill    *spilled
	off, end int64  // what of the file is not read yet
	buf      []byte // wordSlack bytes longer than what is read into it
	at, n    int    // what of buf is not used yet
}

// reset makes the reader read a section of the file.
func (r *reader) reset(off, end int64) { r.off, r.end, r.at, r.n = off, end, 0, 0 }

// next returns the place in buf of the next record's body, or false behind the last one.
func (r *reader) next() (from, to int, ok bool, err error) {
	if r.at == r.n && r.off == r.end {
		return 0, 0, false, nil
	}
	if err := r.have(1); err != nil {
		return 0, 0, false, err
	}
	head, body := 1, int(r.buf[r.at])
	if body > bodyBytesShort {
		if err := r.have(5); err != nil {
			return 0, 0, false, err
		}
		head, body = 5, int(binary.LittleEndian.Uint32(r.buf[r.at+1:]))
	}
	if err := r.have(head + body); err != nil {
		return 0, 0, false, err
	}
	from = r.at + head
	r.at = from + body
	return from, r.at, true, nil
}

// have reads on until there are so many bytes in buf.
func (r *reader) have(bytes int) error {
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
