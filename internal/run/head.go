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

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine/stream"
	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// headBytes is how much of an input is read first.
var headBytes = threshold.New("head: beginning of an input", 64<<10, 1)

// headPatience is how long to wait for more of a stream when what has arrived may be enough.
const headPatience = 100 * time.Millisecond

// head passes growing prefixes of the span to enough until it returns true, the span ends, or the
// prefix has bytesMax bytes. Ended is true if the prefix is all there is. What is read of a stream
// is kept for the scan. If the bytes cannot be read, the error is an *Unread.
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
	if in.file.Kind == source.Stream && in.compressed == nil {
		if skipped = int(min(span.Off, int64(bytesMax)+1)); skipped > bytesMax {
			return fmt.Errorf("%s is a stream: a table in it cannot begin after byte %d; use tail -c +%d",
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
		} else if ended && in.file.Kind != source.Stream { // it had more bytes when it was opened
			ended, err = false, failure.ErrEnded
		}
		done, enoughErr := enough(head, ended)
		switch {
		case done || enoughErr != nil || ended || err == nil && want >= bytesMax:
			return errors.Join(enoughErr, r.Close())
		case err != nil && !slow:
			if path, ok := errors.AsType[*fs.PathError](err); ok { // the error names the input anyway
				err = path.Err
			}
			unread := &failure.UnreadError{Name: in.Name(), Off: span.Off + int64(len(head)), Err: err}
			if span.End < math.MaxInt64 {
				unread.Len = span.End - unread.Off
			}
			return errors.Join(unread, r.Close())
		case !slow:
			want = min(4*want, bytesMax)
		}
	}
}

// Head returns what the input begins with, decompressed: bytes of it, or all there is, which whole says. Of a stream it
// returns what has arrived after the time patience, if that has a line feed; the scan reads it again.
func (in *Input) Head(ctx context.Context, most int, patience time.Duration) (head []byte, whole bool, err error) {
	begun := time.Now()
	span := source.Range{End: math.MaxInt64}
	if n, ok := in.Bytes(); ok {
		span.End = n
	}
	err = in.head(ctx, span, most, memoryDefault, func(b []byte, ended bool) (bool, error) {
		head, whole = b, ended
		return len(b) >= most || time.Since(begun) > patience && bytes.IndexByte(b, '\n') >= 0, nil
	})
	whole = whole && len(head) <= most
	return head[:min(len(head), most)], whole, err
}

// headAheadBytes is about how much the kernel reads ahead of the first bytes.
const headAheadBytes = 1 << 20

// willBring takes note of what a read of the range, and the kernel's read-ahead, will bring into the page
// cache. If that cannot be queried, the bytes are read all the same.
func (in *Input) willBring(r source.Range) {
	r.End = min(r.End, in.file.Bytes)
	if missing, err := in.file.Uncached(r); err == nil {
		in.brought = append(in.brought, missing...)
	}
}

// headReader returns a reader of a span, or of the stream that the span lies in. Reads of an
// uncompressed stream wait until impatient returns true.
func (in *Input) headReader(ctx context.Context, span source.Range, memory int64,
	impatient func() bool) (io.ReadCloser, error) {
	over := func() bool { return ctx.Err() != nil }
	alone := decompress.Options{Workers: 1, MemBytes: max(memory-plan.BaseBytes, spareBytesMin)}
	var r io.ReadCloser
	switch {
	case in.file.Kind != source.Stream:
		in.willBring(source.Range{Off: span.Off, End: span.Off + int64(headBytes.Get()) + headAheadBytes})
		return io.NopCloser(io.NewSectionReader(in.file, span.Off, span.Len())), nil
	case in.compressed == nil:
		return io.NopCloser(in.fromStart(func() bool { return over() || impatient() })), nil
	case in.comesOnce():
		r = in.streamReader(alone, over)
	default:
		r = in.compressed.reader(in.compressed.file, alone)
	}
	n, err := io.CopyN(io.Discard, r, span.Off)
	if err != nil && err != io.EOF {
		return nil, errors.Join(&failure.UnreadError{Name: in.Name(), Off: n, Err: err}, r.Close())
	}
	return r, nil
}
