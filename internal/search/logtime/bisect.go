package logtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// blockBytes is what is read at a place. It holds some lines, all of which are examined.
var blockBytes = threshold.New("logtime: block of a bisection", 16<<10, 1)

// firstBytesMax is how far the first time of a log is looked for.
const firstBytesMax = 1 << 20

var feed = []byte{'\n'}

// Found is the part of a file that a window selects, and what it took to find it.
type Found struct {
	source.Range
	Reads, Bytes int64
	Outside      *answer.LogTimes // of all lines, if the part is empty
	Zone         *time.Location   // in which times without one were read; nil if there were none
}

// sighting is a line with a time.
type sighting struct {
	off int64
	at  time.Time
}

// bisection looks for times in a range of a file.
type bisection struct {
	ctx    context.Context
	file   *source.File
	span   source.Range
	format *Format
	block  []byte // the bytes at off that were read last
	off    int64
	seen   []sighting // by offset: the first and the last of each block
	found  Found
	steps  map[int64]int64 // where lines begin the hour again that ends at a time, in Unix seconds
	plain  bool            // times are those of the first such hour, and not checked
}

// Bisect finds the lines of a window in a range of a file, which begins at the start of a line. It looks at the
// line in the middle, then at the one in the middle of the half in which the first wanted line must be, and so
// on. Written says when the last line was written, for times without a year.
//
// An error says that times do not ascend, if that was seen in the blocks that were read.
func Bisect(ctx context.Context, f *source.File, span source.Range, w *Window, written time.Time) (Found, error) {
	format, err := w.format()
	if err != nil {
		return Found{}, err
	}
	b := &bisection{ctx: ctx, file: f, span: span, format: format, found: Found{Range: span}}
	if span.Len() == 0 {
		return b.found, nil
	}
	begin, err := b.begin(written)
	if err != nil {
		return Found{}, err
	}
	if !w.From.IsZero() {
		if b.found.Off, err = b.first(span.Off, w.From); err != nil {
			return Found{}, err
		}
	}
	if !w.To.IsZero() {
		if b.found.End, err = b.first(b.found.Off, w.To); err != nil {
			return Found{}, err
		}
	}
	b.found.Zone = format.bareZone()
	if b.found.Len() == 0 {
		if b.found.Outside, err = b.all(begin); err != nil {
			return Found{}, err
		}
	}
	return b.found, nil
}

// begin finds the first time, which decides how times are written, and the years of times without one.
func (b *bisection) begin(written time.Time) (stamp, error) {
	end := min(b.span.End, b.span.Off+firstBytesMax)
	off, s, err := b.stampFrom(b.span.Off, end)
	switch {
	case err != nil:
		return s, err
	case off == end:
		return s, &noTimeError{b.file.Name, end - b.span.Off}
	case !s.yearless:
		return s, nil
	}
	last, err := b.last(s)
	if err != nil {
		return s, err
	}
	const clocksDiffer = 24 * time.Hour
	b.format.settle(last, written.Add(clocksDiffer))
	at, err := inYear(last.Time, b.format.year, b.format.in(last))
	if err != nil {
		return s, fmt.Errorf("%s: %w", b.file.Name, err)
	}
	b.format.settle(s, at)
	b.block = nil // its lines are not checked yet
	return s, nil
}

// all returns the first and the last time in the range.
func (b *bisection) all(begin stamp) (*answer.LogTimes, error) {
	end, err := b.last(begin)
	if err != nil {
		return nil, err
	}
	first, err := b.format.resolve(begin)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.file.Name, err)
	}
	last, err := b.format.resolve(end)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.file.Name, err)
	}
	return &answer.LogTimes{First: first, Last: last}, nil
}

// last returns the last time in the range, of which first is the first. It looks at ever longer ends.
func (b *bisection) last(first stamp) (stamp, error) {
	for n := int64(blockBytes.Get()); ; n *= 2 {
		from := max(b.span.End-n, b.span.Off)
		last, ok := first, false
		for off := from; off < b.span.End; off++ {
			var s stamp
			var err error
			if off, s, err = b.stampFrom(off, b.span.End); err != nil {
				return stamp{}, err
			}
			if off < b.span.End {
				last, ok = s, true
			}
		}
		if ok || from == b.span.Off {
			return last, nil
		}
	}
}

// first returns where the first line begins that has the time t or a later one. It is at from or later.
func (b *bisection) first(from int64, t time.Time) (int64, error) {
	return b.search(from, b.span.End, func(at time.Time) bool { return !at.Before(t) })
}

// search returns where the first line begins whose time is wanted, as all after it are; the end if there is none.
func (b *bisection) search(lo, end int64, wanted func(at time.Time) bool) (int64, error) {
	for hi := end; lo < hi; { // the line begins in this range, or at the end
		mid := lo
		if hi-lo > int64(blockBytes.Get()) {
			mid = lo + (hi-lo)/2
		}
		s, err := b.next(mid, hi)
		switch {
		case err != nil:
			return 0, err
		case s.off == hi:
			hi = mid
		case wanted(s.at):
			end, hi = s.off, mid
		default:
			lo = s.off + 1
		}
	}
	return end, nil
}

// next returns the first line with a time that begins at from or later and before end; its offset is end if
// there is none.
func (b *bisection) next(from, end int64) (sighting, error) {
	off, s, err := b.stampFrom(from, end)
	if err != nil || off == end {
		return sighting{off: end}, err
	}
	at, err := b.at(off, s)
	if err != nil || b.plain {
		return sighting{off, at}, err
	}
	return sighting{off, at}, b.check()
}

// stampFrom is next without the year.
func (b *bisection) stampFrom(from, end int64) (int64, stamp, error) {
	off := from
	if off > b.span.Off { // a line begins there if the byte before is a line feed
		var err error
		if off, err = b.lineAfter(off-1, end); err != nil {
			return 0, stamp{}, err
		}
	}
	for off < end {
		line, err := b.read(off, lineHead)
		if err == nil && !arrived(line) {
			line, err = b.read(off, headOf(line))
		}
		if err != nil {
			return 0, stamp{}, err
		}
		if s, ok := b.format.stamp(line); ok {
			return off, s, nil
		}
		if off, err = b.lineAfter(off, end); err != nil {
			return 0, stamp{}, err
		}
	}
	return end, stamp{}, nil
}

// lineAfter returns where the line begins after the first line feed at off or later, at most end.
func (b *bisection) lineAfter(off, end int64) (int64, error) {
	for off < end {
		data, err := b.file.NextData(off, end) // a hole holds no line feed
		if err != nil || data.Off >= end {
			return end, err
		}
		off = data.Off
		bytesLeft, err := b.read(off, 1)
		if err != nil {
			return 0, err
		}
		if i := bytes.IndexByte(bytesLeft, '\n'); i >= 0 {
			return min(off+int64(i)+1, end), nil
		}
		off += int64(len(bytesLeft))
	}
	return end, nil
}

// read returns the bytes at off: at least need, unless the range ends before, and more if they are known.
func (b *bisection) read(off int64, need int) ([]byte, error) {
	need = int(min(int64(need), b.span.End-off))
	if at := off - b.off; at >= 0 && at+int64(need) <= int64(len(b.block)) {
		return b.block[at:], nil
	}
	if err := b.ctx.Err(); err != nil {
		return nil, err
	}
	n := int(min(int64(max(blockBytes.Get(), need)), b.span.End-off))
	b.block, b.off = slices.Grow(b.block[:0], n)[:n], off
	got, err := b.file.ReadAt(b.block, off)
	b.found.Reads++
	b.found.Bytes += int64(got)
	if got < n {
		b.block = nil
		err = errors.Join(err, io.ErrUnexpectedEOF)
		return nil, fmt.Errorf("look for times in %s at %d: %w", b.file.Name, off+int64(got), err)
	}
	return b.block, nil
}

// check examines whether all times in the block ascend, and those of all blocks.
func (b *bisection) check() error {
	if i := sort.Search(len(b.seen), func(i int) bool { return b.seen[i].off >= b.off }); i < len(b.seen) &&
		b.seen[i].off < b.off+int64(len(b.block)) {
		return nil // it, or most of it, was examined
	}
	at := 0
	if b.off > b.span.Off {
		at = bytes.IndexByte(b.block, '\n') + 1
		if at == 0 {
			return nil
		}
	}
	var first, last sighting
	whole := b.off+int64(len(b.block)) == b.span.End // the last line, too
	for at < len(b.block) && (whole || arrived(b.block[at:])) {
		if s, ok := b.format.stamp(b.block[at:]); ok {
			t, err := b.at(b.off+int64(at), s)
			if err != nil {
				return err
			}
			now := sighting{b.off + int64(at), t}
			if first.at.IsZero() {
				first = now
			} else if t.Before(last.at) {
				return orderError(b.file.Name, last, now)
			}
			last = now
		}
		i := bytes.IndexByte(b.block[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	if first.at.IsZero() {
		return nil
	}
	return b.see(first, last)
}

// see compares the times of a block with those of the blocks around it.
func (b *bisection) see(first, last sighting) error {
	i := sort.Search(len(b.seen), func(i int) bool { return b.seen[i].off > first.off })
	if i > 0 && first.at.Before(b.seen[i-1].at) {
		return orderError(b.file.Name, b.seen[i-1], first)
	}
	if i < len(b.seen) && b.seen[i].off > last.off && b.seen[i].at.Before(last.at) {
		return orderError(b.file.Name, last, b.seen[i])
	}
	b.seen = slices.Insert(b.seen, i, first, last)
	return nil
}
