package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"time"

	"github.com/thresh-dev/thresh/internal/engine/stream"
	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// headBytes is how much of an input is looked at first.
var headBytes = threshold.New("head: beginning of an input", 64<<10, 1)

// headPatience is how long a stream is waited for when its beginning may be enough.
const headPatience = 100 * time.Millisecond

// head calls enough with more and more of what the span begins with, until that is enough
// or the span ends, or as far as bytesMax. Ended tells that there is no more. A stream is
// read again from its start when it is scanned. Where enough cannot be read, the error is an
// *Unread.
func (in *Input) head(ctx context.Context, span source.Range, bytesMax int, memory int64,
	enough func(head []byte, ended bool) (bool, error)) error {
	if err := in.settle(func() bool { return ctx.Err() != nil }); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var patience time.Time
	r, err := in.headReader(ctx, span, memory, func() bool { return time.Now().After(patience) })
	if err != nil {
		return err
	}
	skipped, want := 0, headBytes.Get()
	if in.file.Kind == source.Stream && in.packed == nil {
		if skipped = int(min(span.Off, int64(bytesMax)+1)); skipped > bytesMax {
			return fmt.Errorf("%s is a stream: a table in it cannot begin behind byte %d; use tail -c +%d",
				in.Name(), bytesMax, span.Off+1)
		}
	}
	var b bytes.Buffer
	for {
		patience = time.Now().Add(headPatience)
		_, err := io.CopyN(&b, r, int64(skipped+want-b.Len()))
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), r.Close())
		}
		head := b.Bytes()[min(skipped, b.Len()):]
		ended, slow := err == io.EOF, errors.Is(err, stream.ErrStopped)
		if n := span.Len(); int64(len(head)) >= n {
			head, ended = head[:n], true
		}
		done, enoughErr := enough(head, ended)
		switch {
		case done || enoughErr != nil || ended || err == nil && want >= bytesMax:
			return errors.Join(enoughErr, r.Close())
		case err != nil && !slow:
			var path *fs.PathError
			if errors.As(err, &path) { // the name is told anyway
				err = path.Err
			}
			unread := &Unread{Name: in.Name(), Off: span.Off + int64(len(head)), Err: err}
			if span.End < math.MaxInt64 {
				unread.Len = span.End - unread.Off
			}
			return errors.Join(unread, r.Close())
		case !slow:
			want = min(4*want, bytesMax)
		}
	}
}

// headReader returns a reader of the beginning of a span, or of the stream that it is in. A
// stream that is not compressed is waited for until impatient is true.
func (in *Input) headReader(ctx context.Context, span source.Range, memory int64,
	impatient func() bool) (io.ReadCloser, error) {
	over := func() bool { return ctx.Err() != nil }
	alone := decompress.Options{Workers: 1, MemBytes: max(memory-plan.BaseBytes, spareBytesMin)}
	var r io.ReadCloser
	switch {
	case in.file.Kind != source.Stream:
		return io.NopCloser(io.NewSectionReader(in.file.OS(), span.Off, span.Len())), nil
	case in.packed == nil:
		return io.NopCloser(in.fromStart(func() bool { return over() || impatient() })), nil
	case in.comesOnce():
		r = in.streamReader(alone, over)
	default:
		r = in.packed.reader(in.packed.file.OS(), alone)
	}
	n, err := io.CopyN(io.Discard, r, span.Off)
	if err != nil && err != io.EOF {
		return nil, errors.Join(&Unread{Name: in.Name(), Off: n, Err: err}, r.Close())
	}
	return r, nil
}
