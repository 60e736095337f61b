package source

import (
	"bytes"
	"errors"
	"fmt"
	"sync/atomic"
)

// Line is a line of a file that is too long to be read with what is around it. It is
// mapped, so that its length costs no memory of the program's own.
type Line struct {
	mapping []byte
	text    []byte
}

// Bytes returns the length of the line, its line feed included.
func (l *Line) Bytes() int64 { return int64(len(l.text)) }

// errStopped ends the look for the end of a line when the scan is over.
var errStopped = errors.New("the scan is over")

// lineStepBytes is how much of a line is mapped at a time to look for its end.
const lineStepBytes = 64 << 20

// MapLine maps the line that begins at off, up to and including its line feed, or to end
// where it has none before. It gives up when stop is true.
func (f *File) MapLine(off, end int64, stop *atomic.Bool) (*Line, error) {
	at := off
	for at < end {
		if stop.Load() {
			return nil, errStopped
		}
		step, err := f.mapRange(Range{at, min(at+lineStepBytes, end)})
		if err != nil {
			return nil, fmt.Errorf("map a long line of %s at %d: %w", f.Name, at, err)
		}
		feed, n := -1, len(step.text)
		if _, err := step.Use(func(text []byte) { feed = bytes.IndexByte(text, '\n') }); err != nil {
			return nil, err
		}
		if feed >= 0 {
			at += int64(feed) + 1
			break
		}
		at += int64(n)
	}
	return f.mapRange(Range{off, at})
}
