package logtime

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/answer"
)

// Filter passes on the lines of a window from a stream, from the first wanted one to the last.
type Filter struct {
	name   string
	in     io.Reader
	window Window
	format *Format
	latest time.Time // for times without a year

	begin   int64        // the offset of the stream's first byte
	off     int64        // of buf[0]
	moved   atomic.Int64 // of the first byte that is passed on
	store   []byte       // holds buf
	buf     []byte       // what was read and not passed on
	decided int          // bytes at the start of buf that are all wanted, or all not
	passes  bool         // they are
	start   bool         // behind them a line begins
	err     error        // that ended the stream
	over    bool         // no line behind them is wanted
	passed  bool         // something was passed on

	timed  bool // a time has been seen
	first  time.Time
	last   sighting
	failed error
	loose  bool // a time before the one of the line before it is taken as that
}

// NewFilter returns a filter for a stream whose first byte is at an offset. Written says when the last line was
// written, for times without a year. Loose says that a line may come a little late, as from several threads, which
// otherwise is an error.
func NewFilter(name string, in io.Reader, off int64, w Window, written time.Time, loose bool) (*Filter, error) {
	format, err := w.format()
	if err != nil {
		return nil, err
	}
	return &Filter{name: name, in: in, window: w, format: format, latest: written, begin: off, off: off, start: true,
		passes: w.From.IsZero(), loose: loose}, nil
}

// Moved returns the offset in the stream of the first byte that is passed on. It is safe for concurrent use.
func (f *Filter) Moved() int64 { return f.moved.Load() }

// Err returns why the stream could not be filtered to its end. The reader ends there.
func (f *Filter) Err() error { return f.failed }

// Zone returns the zone in which times without one were read, nil if there were none.
func (f *Filter) Zone() *time.Location { return f.format.bareZone() }

// Outside returns the times of the lines of a stream that has ended, if none of them was passed on.
func (f *Filter) Outside() *answer.LogTimes {
	switch {
	case f.passed || !f.timed:
		return nil
	case f.over:
		return &answer.LogTimes{First: f.first}
	}
	return &answer.LogTimes{First: f.first, Last: f.last.at}
}

const filterBytes = 256 << 10

// Read reads wanted lines.
func (f *Filter) Read(p []byte) (int, error) {
	for len(p) > 0 {
		f.decide()
		switch {
		case f.decided > 0 && f.passes:
			if !f.passed {
				f.passed = true
				f.moved.Store(f.off)
			}
			n := copy(p, f.buf[:f.decided])
			f.drop(n)
			return n, nil
		case f.decided > 0:
			f.drop(f.decided)
		case f.over || f.failed != nil:
			return 0, io.EOF
		case f.err == io.EOF && !f.timed && f.off > f.begin:
			f.failed = noTimeError(f.name, f.off-f.begin)
		case f.err != nil:
			return 0, f.err
		default:
			f.fill()
		}
	}
	return 0, nil
}

// drop removes decided bytes from the buffer.
func (f *Filter) drop(n int) {
	f.buf = f.buf[n:]
	f.off += int64(n)
	f.decided -= n
}

// fill reads more of the stream, behind the few bytes of a line whose time has not arrived yet.
func (f *Filter) fill() {
	if f.store == nil {
		f.store = make([]byte, filterBytes)
	}
	kept := copy(f.store, f.buf)
	n, err := f.in.Read(f.store[kept:])
	f.buf, f.err = f.store[:kept+n], err
}

// decide goes on until the first line that is wanted where those before are not, or the reverse.
func (f *Filter) decide() {
	if f.decided > 0 || f.over || f.failed != nil {
		return
	}
	for f.decided < len(f.buf) {
		rest := f.buf[f.decided:]
		if f.start {
			if f.err == nil && !arrived(rest) {
				return // its time may not have arrived yet
			}
			passes, over := f.line(rest, f.off+int64(f.decided))
			switch {
			case f.decided > 0 && (passes != f.passes || over):
				return // the next call looks at it again
			case f.failed != nil || over:
				f.over = true
				return
			}
			f.passes = passes
		}
		i := bytes.IndexByte(rest, '\n')
		if f.start = i >= 0; !f.start {
			i = len(rest) - 1
		}
		f.decided += i + 1
	}
}

// line reports whether a line is wanted, and whether neither it nor any line behind it is.
func (f *Filter) line(line []byte, off int64) (passes, over bool) {
	if !f.timed && off-f.begin >= firstBytesMax {
		f.failed = noTimeError(f.name, off-f.begin)
		return false, false
	}
	s, ok := f.format.stamp(line)
	if !ok {
		return f.passes, false
	}
	if !f.timed && s.yearless {
		f.format.settle(s, f.latest.Add(24*time.Hour))
	}
	at, err := f.format.resolve(s)
	if f.timed && at.Before(f.last.at) {
		if _, second, ok := f.format.twice(s, at); ok && !second.Before(f.last.at) {
			at = second // the hour that clocks show again
		}
	}
	now := sighting{off, at}
	switch {
	case err != nil:
		f.failed = fmt.Errorf("%s at %d: %w", f.name, off, err)
	case f.timed && at.Before(f.last.at) && f.loose:
		return f.passes, false
	case f.timed && at.Before(f.last.at):
		f.failed = orderError(f.name, f.last, now)
	}
	if !f.timed {
		f.first = at
	}
	f.timed, f.last = true, now
	return !at.Before(f.window.From), !f.window.To.IsZero() && !at.Before(f.window.To)
}
