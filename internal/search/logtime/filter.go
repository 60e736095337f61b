package logtime

import (
	"bytes"
	"fmt"
	"io"
	"sync"
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
	start   bool         // after them a line begins
	err     error        // that ended the stream
	over    bool         // no line after them is wanted
	passed  bool         // something was passed on

	timed  bool // a time has been seen
	first  time.Time
	last   sighting
	failed error
	loose  bool // a time before the one of the line before it is taken as that
	all    bool // lines are passed on whatever their times are: only Show needs those
	untold bool // no time was recognised, and none is looked for any more

	shared sync.Locker     // held while format and steps are used; nil without Show
	steps  map[int64]int64 // as in bisection
}

// NewFilter returns a filter for a stream whose first byte is at an offset. Written says when the last line was
// written, for times without a year. Loose says that a line may come a little late, as from several threads, which
// otherwise is an error; so may any line if the window has no times.
func NewFilter(name string, in io.Reader, off int64, w Window, written time.Time, loose bool) (*Filter, error) {
	format, err := w.format()
	if err != nil {
		return nil, err
	}
	all := w.All()
	return &Filter{name: name, in: in, window: w, format: format, latest: written, begin: off, off: off, start: true,
		passes: w.From.IsZero(), loose: loose || all, all: all, steps: map[int64]int64{}}, nil
}

// Show returns what writes the times of the lines in the zone that the window says. It may be used for a line that was
// read, while others are. It must be called before the first line is read.
func (f *Filter) Show() *Show {
	f.shared = new(sync.Mutex)
	return &Show{in: f.window.Show, format: f.format, at: f.at, shared: f.shared}
}

// Timed reports whether a time was recognised.
func (f *Filter) Timed() bool { return f.timed }

// at returns the time of a line that was read.
func (f *Filter) at(off int64, s stamp) (time.Time, error) {
	at, err := f.format.resolve(s)
	if err != nil {
		return at, fmt.Errorf("%s at %d: %w", f.name, off, err)
	}
	first, second, ok := f.format.twice(s, at)
	if step, again := f.steps[hourEnd(first)]; ok && again && off >= step {
		return second, nil
	}
	return at, nil
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
		case f.err == io.EOF && !f.timed && !f.all && f.off > f.begin:
			f.failed = &noTimeError{f.name, f.off - f.begin}
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

// fill reads more of the stream, after the few bytes of a line whose time has not arrived yet.
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
	if f.shared != nil {
		f.shared.Lock()
		defer f.shared.Unlock()
	}
	if f.all && len(f.buf) > 0 && (f.untold || f.calm()) {
		f.decided, f.start = len(f.buf), f.buf[len(f.buf)-1] == '\n'
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

// line reports whether a line is wanted, and whether neither it nor any line after it is.
func (f *Filter) line(line []byte, off int64) (passes, over bool) {
	if f.untold = f.all && !f.timed && off-f.begin >= firstBytesMax; f.untold {
		return true, false
	}
	if !f.timed && off-f.begin >= firstBytesMax {
		f.failed = &noTimeError{f.name, off - f.begin}
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
		if first, second, ok := f.format.twice(s, at); ok && !second.Before(f.last.at) {
			at = second // the hour that clocks show again
			if end := hourEnd(first); f.steps[end] == 0 {
				f.steps[end] = off
			}
		}
	}
	now := sighting{off, at}
	switch {
	case err != nil && f.all:
		return true, false
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

// calm reports whether no clock is set back around the times in the buffer, as far as its first and its last line say,
// so that the lines between them need not be looked at for their order.
func (f *Filter) calm() bool {
	begin := 0
	if !f.start {
		begin = bytes.IndexByte(f.buf, '\n') + 1
	}
	end := bytes.LastIndexByte(f.buf, '\n') + 1
	if !f.timed || begin >= end {
		return false
	}
	last := begin + bytes.LastIndexByte(f.buf[begin:end-1], '\n') + 1
	var times [2]time.Time
	for i, at := range [...]int{begin, last} {
		s, ok := f.format.stamp(f.buf[at:])
		if !ok {
			return false
		}
		var err error
		if times[i], err = f.format.resolve(s); err != nil || !f.format.isCalm(s, times[0]) || !f.format.isCalm(s, times[i]) {
			return false
		}
	}
	f.last = sighting{f.off + int64(last), times[1]}
	return true
}
