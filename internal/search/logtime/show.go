package logtime

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// Show writes the times of a log as clocks in another zone show them. One goroutine at a time uses it.
type Show struct {
	in     *time.Location
	format *Format
	at     func(off int64, s stamp) (time.Time, error) // the time of the line at an offset
	shared sync.Locker                                 // held while format is used, if others use it, too
	parts  pieces
}

// NewShow returns what writes the times of a file in the zone that the window says. It returns nil if no time is
// recognised. Written is as in Bisect.
func NewShow(ctx context.Context, f *source.File, span source.Range, w *Window, written time.Time) (*Show, error) {
	format, err := w.format()
	if err != nil {
		return nil, err
	}
	b := &bisection{ctx: ctx, file: f, span: span, format: format}
	if _, err := b.begin(written); IsUntimed(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return &Show{in: w.Show, format: format, at: b.at, shared: new(sync.Mutex)}, nil
}

// Zone returns the zone in which times without one were read, nil if there were none.
func (s *Show) Zone() *time.Location { return s.format.bareZone() }

// Rewrite passes on what is to be written in place of the bytes of a line between two indices, in ascending order: the
// parts of its time that differ. Off is the offset of the line. Seconds since 1970 are the same in all zones.
func (s *Show) Rewrite(line []byte, off int64, edit func(from, to int, text string)) error {
	s.shared.Lock()
	defer s.shared.Unlock()
	at, ok, err := s.read(line, off)
	if err != nil || !ok {
		return err
	}
	shown, narrow := at.In(s.in), s.parts.narrow(line)
	for _, p := range s.parts {
		old := line[p.from:p.to]
		switch {
		case p.kind == 'z':
			s.zone(line, p, at, edit)
			continue
		case (p.kind == 'a' || p.kind == 'A') && p.write(old, at) != string(old):
			continue // it is not the day of this date
		}
		text := p.write(old, shown)
		if narrow && len(old) == 2 && text[0] == '0' && strings.IndexByte("mdHI", p.kind) >= 0 {
			text = text[1:]
		}
		if text != string(old) {
			edit(p.from, p.to, text)
		}
	}
	return nil
}

// read returns the time of a line, in the zone in which it is written, and finds its parts.
func (s *Show) read(line []byte, off int64) (at time.Time, ok bool, err error) {
	line, _, _ = bytes.Cut(line[:min(len(line), headOf(line))], feed)
	s.parts = s.parts[:0]
	s.format.zones.pieces = &s.parts
	found, ok := s.format.stamp(line)
	s.format.zones.pieces = nil
	if _, year := s.parts.of('Y'); !ok || len(s.parts) == 0 || found.yearless && year { // the year 0
		return at, false, nil
	}
	s.parts.order(line)
	if at, err = s.at(off, found); err != nil {
		return at, false, err
	}
	at = at.In(s.format.in(found))
	if second, ok := s.parts.of('S'); ok && string(line[second.from:second.to]) == "60" {
		at = at.Add(-time.Second) // package time takes it for the next minute
	}
	return at, true, nil
}
