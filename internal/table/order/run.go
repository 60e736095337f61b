package order

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/thresh-dev/thresh/internal/table/spill"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// run is rows in their order: in a section of a Sorter's file, or in its memory.
type run struct {
	sorter *Sorter
	sorted []pair // in memory; nil for a section of the file
	end    int64  // offset in the file, or number of pairs
	marks  []mark // where a reader may begin, ascending; the first is the beginning
}

// mark is a place in a run: an offset in the file, or the number of a pair.
type mark struct {
	key []byte // of the row there
	at  int64
}

// runWriter writes a run.
type runWriter struct {
	*Sorter
	run
}

func (s *Sorter) newRun() (*runWriter, error) {
	if s.file == nil {
		f, err := spill.New(s.TempDir, "thresh-order-*", "records to sort")
		if err != nil {
			return nil, err
		}
		s.file = f
	}
	if s.writer == nil {
		s.writer = s.file.Writer(int(min(s.MemBytes/writeShare, int64(writeBytes.Get()))))
	}
	return &runWriter{s, run{sorter: s}}, nil
}

// add writes the next row.
func (w *runWriter) add(key, written []byte) error {
	if off := w.writer.End(); len(w.run.marks) == 0 || off >= w.run.marks[len(w.run.marks)-1].at+w.every {
		w.run.marks = append(w.run.marks, mark{bytes.Clone(key), off})
		w.Sorter.marks += len(key) + markBytes
	}
	return w.writer.Write(written)
}

// markBytes is about the memory of a mark without its key.
const markBytes = 48

// end ends the run.
func (w *runWriter) end() error {
	if err := w.writer.Flush(); err != nil {
		return err
	}
	w.run.end = w.writer.End()
	w.runs = append(w.runs, w.run)
	for int64(w.Sorter.marks) > w.MemBytes/marksShare && w.thin() {
	}
	return nil
}

// thin drops every second mark. It returns false if there is none to drop.
func (s *Sorter) thin() (dropped bool) {
	s.marks = 0
	s.every *= 2
	for i := range s.runs {
		r, n := &s.runs[i], 0
		for j := 0; j < len(r.marks); j += 2 {
			r.marks[n] = r.marks[j]
			s.marks += len(r.marks[j].key) + markBytes
			n++
		}
		dropped = dropped || n < len(r.marks)
		r.marks = slices.Clip(slices.Clone(r.marks[:n]))
	}
	return dropped
}

// inMemory returns the sorted rows in memory as a run.
func (s *Sorter) inMemory() run {
	pairs := s.sort()
	r := run{sorter: s, sorted: pairs, end: int64(len(pairs))}
	for i := 0; i < len(pairs); i += rowsOfMark.Get() {
		r.marks = append(r.marks, mark{s.keyAt(pairs[i].at), int64(i)})
	}
	return r
}

var rowsOfMark = threshold.New("order: rows in memory from mark to mark", 1024, 1)

// cursor reads the rows of a run from one key to another.
type cursor struct {
	run      *run
	at       int64 // of the next row, or of what is read next of the file
	buf      []byte
	from, to int // buf[from:to] is read and not used yet
	prefix   uint64
	key      []byte // of the current row
	text     []byte
}

// begin goes to the first row whose key is not less than low. It returns false if there is none.
func (c *cursor) begin(r *run, low []byte) (ok bool, err error) {
	i, found := slices.BinarySearchFunc(r.marks, low, func(m mark, low []byte) int { return bytes.Compare(m.key, low) })
	if !found && i > 0 {
		i-- // rows between that mark and the next one may be less than low, or not
	}
	c.run, c.at, c.from, c.to = r, r.marks[i].at, 0, 0
	for {
		if ok, err = c.next(); !ok || bytes.Compare(c.key, low) >= 0 {
			return ok, err
		}
	}
}

// next goes to the next row. It returns false if there is none.
func (c *cursor) next() (ok bool, err error) {
	if s := c.run.sorter; c.run.sorted != nil {
		if c.at == c.run.end {
			return false, nil
		}
		p := c.run.sorted[c.at]
		r, _, _ := rowAt(s.memory, int(p.at))
		c.at++
		c.prefix, c.key, c.text = p.prefix, s.memory[r.key:r.text], s.memory[r.text:r.end]
		return true, nil
	}
	for {
		r, size, complete := rowAt(c.buf[:c.to], c.from)
		if complete {
			c.prefix, c.key, c.text = prefix(c.buf[r.key:r.text]), c.buf[r.key:r.text], c.buf[r.text:r.end]
			c.from = r.end
			return true, nil
		}
		if c.from == c.to && c.at == c.run.end {
			return false, nil
		}
		if err := c.read(size); err != nil {
			return false, err
		}
	}
}

// read reads on in the file. A row takes size bytes at least, if the run is that long.
func (c *cursor) read(size int) error {
	rest := c.buf[c.from:c.to]
	if len(c.buf) < size {
		c.buf = make([]byte, size)
	}
	c.from, c.to = 0, copy(c.buf, rest)
	want := c.buf[c.to:]
	want = want[:min(int64(len(want)), c.run.end-c.at)]
	if len(want) == 0 {
		return errors.New("thresh: bug: a run that ends within a row")
	}
	f := c.run.sorter.file
	if err := f.ReadBack(want, c.at); err != nil {
		if errors.Is(err, io.EOF) {
			err = f.Failed("read back", io.ErrUnexpectedEOF)
		}
		return err
	}
	c.at += int64(len(want))
	c.to += len(want)
	return nil
}
