package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/search/logtime"
)

// times limits an input to the lines of a window of times: of a file to a range, which is found from a few of
// its blocks; of a stream by a filter in front of the scan. They may be printed with their times in another zone.
type times struct {
	window *logtime.Window
	found  *logtime.Found  // of a file
	filter *logtime.Filter // of a stream, when it was opened
	show   *logtime.Show   // of a file, or of a stream when it was opened; nil if times stay as they are
}

// limitTimes changes the options, and of a stream the input, so that only lines of the window are searched. It
// returns nil if all lines are wanted, as they are. End must be called after the search.
func limitTimes(ctx context.Context, in *Input, o *Options) (*times, error) {
	w := o.Times
	if w == nil || w.All() && w.Show == nil {
		return nil, nil
	}
	if err := errors.Join(o.check(), w.Check()); err != nil {
		return nil, err
	}
	span, err := o.span(in.file)
	if err != nil {
		return nil, err
	}
	t := &times{window: w}
	written := in.written()
	window := *w
	if in.follow != nil {
		if window.Zone, err = in.followFrom(ctx, w); err != nil {
			return nil, err
		}
	}
	if in.file.Kind == source.Stream {
		in.filter = func(r io.Reader) (io.Reader, error) {
			var err error
			t.filter, err = logtime.NewFilter(in.Name(), part(r, span), span.Off, window, written, in.follow != nil)
			if err == nil && window.Show != nil {
				t.show = t.filter.Show()
			}
			return t.filter, err
		}
		o.Offset, o.Length = 0, nil
		return t, nil
	}
	if w.Show != nil {
		if t.show, err = logtime.NewShow(ctx, in.file, span, w, written); err != nil || w.All() {
			return t, err
		}
	}
	found, err := logtime.Bisect(ctx, in.file, span, w, written)
	if err != nil {
		return nil, err
	}
	length := found.Len()
	t.found, o.Offset, o.Length = &found, found.Off, &length
	return t, nil
}

// part returns a reader of a range of a stream.
func part(r io.Reader, span source.Range) io.Reader {
	if span.Off > 0 {
		r = &skipper{r, span.Off}
	}
	if span.End < math.MaxInt64 {
		r = io.LimitReader(r, span.Len())
	}
	return r
}

// skipper leaves out the first bytes of a stream.
type skipper struct {
	io.Reader
	left int64
}

func (s *skipper) Read(p []byte) (int, error) {
	for s.left > 0 && len(p) > 0 {
		n, err := s.Reader.Read(p[:min(int64(len(p)), s.left)])
		if s.left -= int64(n); err != nil {
			return 0, err
		}
	}
	return s.Reader.Read(p)
}

// written returns when the last line of the input was written, as far as that is known.
func (in *Input) written() time.Time {
	f := in.file
	if in.compressed != nil {
		f = in.compressed.file
	}
	if f.OS() != nil && f.Kind != source.Stream {
		if info, err := f.OS().Stat(); err == nil && info.Mode().IsRegular() {
			return info.ModTime()
		}
	}
	return time.Now()
}

// end ends the limit, and returns why it could not be kept.
func (t *times) end(in *Input) error {
	if t == nil {
		return nil
	}
	in.filter = nil
	if t.filter == nil {
		return nil
	}
	return t.filter.Err()
}

// moved returns the offset of the first byte of a stream that was searched.
func (t *times) moved() int64 {
	if t == nil || t.filter == nil {
		return 0
	}
	return t.filter.Moved()
}

// outside returns the times of the lines if none of them is wanted.
func (t *times) outside() *answer.LogTimes {
	switch {
	case t == nil:
		return nil
	case t.found != nil:
		return t.found.Outside
	case t.filter != nil:
		return t.filter.Outside()
	}
	return nil
}

// rewrite is a grep.Format.Rewrite.
func (t *times) rewrite(line []byte, off int64, edit func(from, to int, text string)) error {
	if t.show == nil {
		return nil
	}
	return t.show.Rewrite(line, off, edit)
}

// untimed reports whether no time was recognised that could be shown in another zone.
func (t *times) untimed() bool {
	return t != nil && t.window.Show != nil && (t.show == nil || t.filter != nil && !t.filter.Timed())
}

// zone returns the zone in which times without one were read.
func (t *times) zone() *time.Location {
	switch {
	case t != nil && t.show != nil:
		return t.show.Zone()
	case t != nil && t.found != nil:
		return t.found.Zone
	case t != nil && t.filter != nil:
		return t.filter.Zone()
	}
	return nil
}

// String says for the plan how the lines are found.
func (t *times) String() string {
	if t.found == nil {
		return "it is read from its start, because lines can be looked up by time in a file only that is not compressed"
	}
	return fmt.Sprintf("bytes %d to %d, found by %d reads of %s in all", t.found.Off, t.found.End, t.found.Reads,
		bytesize.Precise(t.found.Bytes))
}

// filtered returns a reader of the lines that the filter of the input passes on.
func (in *Input) filtered(r io.ReadCloser) (io.ReadCloser, error) {
	if in.filter == nil {
		return r, nil
	}
	f, err := in.filter(r)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{f, r}, nil
}
