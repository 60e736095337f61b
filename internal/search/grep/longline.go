package grep

import (
	"errors"
	"fmt"
	"slices"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/table/spill"
	"github.com/thresh-dev/thresh/internal/threshold"
)

var (
	// A line that blocks cut is put together in memory up to this length.
	longBytes = threshold.New("grep: cut line that is put together in memory", 1<<20, 1)
	// A line that may be context of a later block is kept in memory up to this length.
	keptBytes = threshold.New("grep: line of context that is kept in memory", 64<<10, 1)
	// Where nothing can be mapped, a longer line is searched up to there.
	unmappedBytes = 64 << 20
)

// longLine is the line that continues in the next block. When it has become too long to be held in memory,
// it is searched and printed where it lies, in a mapping. An input that cannot be read again is copied to a
// temporary file for that, with holes where no long line was.
type longLine struct {
	file     *source.File
	lost     func(failure.UnreadError)
	data     []byte // the line so far, unless it is long
	off, end int64  // of the line so far
	long     bool
	squeezed bool // zero bytes in data stand for holes

	temp    *spill.File
	tempOff int64 // the offset in the input where temp begins
}

func (l *longLine) empty() bool { return l.off == l.end }

// begin begins a line.
func (l *longLine) begin(off int64) {
	l.off, l.end, l.data, l.long, l.squeezed = off, off, l.data[:0], false, false
}

// extend adds the bytes at off.
func (l *longLine) extend(b []byte, off int64) error {
	if len(b) == 0 {
		return nil
	}
	if l.empty() {
		l.begin(off)
	}
	l.end = off + int64(len(b))
	if l.long {
		return l.save(b, off)
	}
	l.data = append(l.data, b...)
	if l.long = len(l.data) > longBytes.Get(); !l.long {
		return nil
	}
	err := l.save(l.data, l.off)
	l.data = nil
	return err
}

// finish passes on the line that ends with the bytes at off; if zero bytes in it stand for holes, to squeezed, which
// also gets the offset where the line ends.
func (l *longLine) finish(end []byte, off int64, visit func(text) error, squeezed func(t text, end int64) error) error {
	if err := l.extend(end, off); err != nil {
		return err
	}
	from, to := l.off, l.end
	l.off, l.end = 0, 0
	switch {
	case l.long:
		return l.read(from, to, visit)
	case l.squeezed:
		return squeezed(text{l.data, from}, to)
	}
	return visit(text{l.data, from})
}

// again reports whether the input can be read again, at any offset and by a mapping.
func (l *longLine) again() bool {
	return l.file.Kind == source.Memory || l.file.Kind != source.Stream && l.file.OS() != nil
}

// save makes sure that the bytes at off can be read again.
func (l *longLine) save(b []byte, off int64) (err error) {
	if l.again() {
		return nil
	}
	if l.temp == nil {
		if l.temp, err = spill.New(spill.Dir{}, "thresh-line-*", "a long line"); err != nil {
			return err
		}
		l.tempOff = off
	}
	if _, err := l.temp.WriteAt(b, off-l.tempOff); err != nil {
		return l.temp.Failed("write a long line to", err)
	}
	return nil
}

// read passes a saved range on.
func (l *longLine) read(from, to int64, visit func(text) error) error {
	file, shift := l.file, int64(0)
	if !l.again() {
		f, err := source.FromOS(l.file.Name, l.temp.File)
		if err != nil {
			return err
		}
		file, shift = f, l.tempOff
	}
	r := source.Range{Off: from - shift, End: to - shift}
	part, err := file.Part(r)
	if err != nil {
		return fmt.Errorf("read a long line of %s at %d: %w", l.file.Name, from, err)
	}
	whole := part.Bytes() == r.Len()
	var visitErr error
	_, err = part.Use(func(b []byte) {
		if whole {
			visitErr = visit(text{b, from})
		}
	})
	if err != nil || visitErr != nil || whole {
		return errors.Join(visitErr, err)
	}
	return l.readPart(file, r, from, visit)
}

// readPart passes on as much of a range as can be read and fits into memory. The rest is reported.
func (l *longLine) readPart(file *source.File, r source.Range, from int64, visit func(text) error) error {
	b := make([]byte, min(r.Len(), int64(unmappedBytes)))
	n, err := file.ReadAt(b, r.Off)
	if err == nil {
		err = fmt.Errorf("a line of %d bytes, which cannot be mapped here, does not fit into memory", r.Len())
	}
	if missing := r.Len() - int64(n); missing > 0 {
		l.lost(failure.UnreadError{Name: l.file.Name, Off: from + int64(n), Len: missing, Err: err})
	}
	return visit(text{b[:n], from})
}

// keep makes sure that a line can be printed later.
func (l *longLine) keep(k *kept, line []byte) error {
	if len(line) <= keptBytes.Get() {
		k.data = slices.Clone(line)
		return nil
	}
	return l.save(line, k.off)
}

// use passes a line that was kept on.
func (l *longLine) use(k *kept, visit func(line []byte) error) error {
	if k.data != nil {
		return visit(k.data)
	}
	return l.read(k.off, k.end, func(t text) error { return visit(t.data) })
}

func (l *longLine) close() error {
	if l.temp == nil {
		return nil
	}
	return l.temp.Close()
}
