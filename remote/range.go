package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// rangeReader reads a range. When an answer breaks off, it requests the rest.
type rangeReader struct {
	object   *Object
	ctx      context.Context
	off, end int64
	body     io.ReadCloser // of the answer that is read; nil: none
	bodyEnd  int64         // the offset at which the answer ends
}

func (r *rangeReader) Read(p []byte) (n int, err error) {
	switch {
	case r.ctx == nil:
		return 0, errors.New("remote: ctx is nil")
	case r.off < 0 || r.end < 0:
		return 0, fmt.Errorf("remote: a range from %d to %d: neither may be negative", r.off, r.end)
	case r.off >= r.end:
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	if r.off < int64(len(r.object.head)) {
		n = copy(p[:min(int64(len(p)), r.end-r.off)], r.object.head[r.off:])
		r.off += int64(n)
		return n, nil
	}
	err = r.object.retry(r.ctx, func() (bool, error) {
		n, err = r.attempt(p)
		r.off += int64(n)
		return n > 0, err
	})
	if n > 0 {
		return n, nil // the next Read meets the error again
	}
	return 0, err
}

// attempt reads on, with a new request if there is no answer to read.
func (r *rangeReader) attempt(p []byte) (n int, err error) {
	if r.body == nil {
		if err := r.request(); err != nil {
			return 0, err
		}
	}
	n, err = r.body.Read(p[:min(int64(len(p)), r.bodyEnd-r.off)])
	if r.off+int64(n) == r.bodyEnd {
		err = expectEnd(r.body)
		if errors.As(err, new(*answerError)) {
			n = 0 // an answer that is longer than it says may be wrong anywhere
			r.bodyEnd = 0
		}
		return n, errors.Join(err, r.drop())
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		_ = r.drop() // the error that counts is the one of the read
		err = fmt.Errorf("the answer broke off: %w", err)
	}
	return n, err
}

func (r *rangeReader) drop() error {
	if r.body == nil {
		return nil
	}
	err := r.body.Close()
	r.body = nil
	return err
}

// request requests the rest of the range, and checks what the answer says about itself.
func (r *rangeReader) request() error {
	ctx, cancel := context.WithCancel(r.ctx)
	resp, err := r.object.send(ctx, fmt.Sprintf("bytes=%d-%d", r.off, r.end-1), r.object.version)
	if err != nil {
		cancel()
		// A server that has answered before, and now restarts, refuses connections for a while.
		if p, ok := err.(*permanentError); ok && errors.Is(err, syscall.ECONNREFUSED) {
			err = p.error
		}
		return err
	}
	end, err := r.check(resp)
	if err != nil {
		cancel()
		return errors.Join(err, resp.Body.Close())
	}
	r.body, r.bodyEnd = newStallGuard(resp.Body, cancel, r.object.client.options.StallMax), end
	return nil
}

// check returns where the answer to a request for a range ends.
func (r *rangeReader) check(resp *http.Response) (end int64, err error) {
	o := r.object
	switch resp.StatusCode {
	case http.StatusPartialContent:
	case http.StatusPreconditionFailed:
		return 0, &permanentError{&ReplacedError{}}
	case http.StatusRequestedRangeNotSatisfiable:
		return 0, &permanentError{&ReplacedError{fmt.Sprintf("%d bytes", o.bytes), resp.Header.Get("Content-Range")}}
	case http.StatusOK:
		if err := o.version.check(resp.Header); err != nil {
			return 0, err
		}
		return 0, wrongAnswer("all of the object, instead of bytes %d to %d", r.off, r.end)
	default:
		return 0, statusError(resp)
	}
	if err := o.version.check(resp.Header); err != nil {
		return 0, err
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "multipart/byteranges" {
		return 0, wrongAnswer("several ranges instead of one")
	}
	off, end, total, err := contentRange(resp.Header)
	switch {
	case err != nil:
		return 0, err
	case total >= 0 && total != o.bytes:
		return 0, &permanentError{&ReplacedError{fmt.Sprintf("%d bytes", o.bytes), fmt.Sprintf("%d bytes", total)}}
	case off != r.off || end > r.end:
		return 0, wrongAnswer("bytes %d to %d, instead of %d to %d", off, end, r.off, r.end)
	case resp.ContentLength >= 0 && resp.ContentLength != end-off:
		return 0, wrongAnswer("%d bytes, which it calls bytes %d to %d", resp.ContentLength, off, end)
	}
	return end, nil
}

// Close ends the answer.
func (r *rangeReader) Close() error { return r.drop() }

// contentRange returns the range that an answer says it has; total is -1 if it is not known.
func contentRange(h http.Header) (off, end, total int64, err error) {
	text := h.Get("Content-Range")
	span, size, ok := strings.Cut(strings.TrimPrefix(text, "bytes "), "/")
	first, last, ok2 := strings.Cut(span, "-")
	off, err1 := strconv.ParseInt(first, 10, 64)
	end, err2 := strconv.ParseInt(last, 10, 64)
	total, err3 := int64(-1), error(nil)
	if size != "*" {
		total, err3 = strconv.ParseInt(size, 10, 64)
	}
	if !ok || !ok2 || errors.Join(err1, err2, err3) != nil || off < 0 || end < off || size != "*" && end >= total {
		return 0, 0, 0, wrongAnswer("Content-Range %q", text)
	}
	return off, end + 1, total, nil
}

// expectEnd returns an error if an answer goes on.
func expectEnd(r io.Reader) error {
	var one [1]byte
	switch n, err := r.Read(one[:]); {
	case n > 0:
		return wrongAnswer("it is longer than it says")
	case err != nil && err != io.EOF:
		return fmt.Errorf("at its end: %w", err)
	}
	return nil
}

// stallGuard cancels a request whose answer brings nothing for too long.
type stallGuard struct {
	io.ReadCloser
	cancel  context.CancelFunc
	timer   *time.Timer
	max     time.Duration
	stalled atomic.Bool
}

func newStallGuard(body io.ReadCloser, cancel context.CancelFunc, most time.Duration) *stallGuard {
	g := &stallGuard{ReadCloser: body, cancel: cancel, max: most}
	g.timer = time.AfterFunc(most, func() { g.stalled.Store(true); cancel() })
	g.timer.Stop()
	return g
}

func (g *stallGuard) Read(p []byte) (int, error) {
	g.timer.Reset(g.max)
	n, err := g.ReadCloser.Read(p)
	g.timer.Stop()
	if err != nil && err != io.EOF && g.stalled.Load() {
		err = fmt.Errorf("nothing arrived for %s", g.max)
	}
	return n, err
}

func (g *stallGuard) Close() error {
	g.timer.Stop()
	g.cancel()
	return g.ReadCloser.Close()
}

const pauseMax = 10 * time.Second

// retry calls attempt until it succeeds, or makes progress, or fails too often. Between attempts it waits: as long
// as the server asks, otherwise twice as long as before, less a random part, so that many clients do not come
// back at once.
func (o *Object) retry(ctx context.Context, attempt func() (progress bool, err error)) error {
	pause := o.client.options.PauseMin
	for n := 1; ; n++ {
		if err := o.gone(); err != nil {
			return err
		}
		progress, err := attempt()
		switch {
		case err == nil || progress:
			if progress {
				o.failures.Store(0)
			}
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, new(*permanentError)):
			o.giveUp(err)
			return err
		}
		if isThrottling(err) {
			o.throttled.Add(1)
		}
		if n >= o.client.options.Attempts {
			err = fmt.Errorf("%w (after %d attempts)", err, n)
			o.giveUp(err)
			return err
		}
		wait := pause/2 + rand.N(pause/2+1)
		if paused := (*pausedError)(nil); errors.As(err, &paused) {
			wait = paused.after + rand.N(pause)
		}
		pause = min(2*pause, pauseMax)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}
