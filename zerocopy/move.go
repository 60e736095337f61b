package zerocopy

import (
	"errors"
	"io"
	"math"

	"github.com/thresh-dev/thresh/internal/net/sendfile"
	"github.com/thresh-dev/thresh/internal/net/splice"
)

// errInvalidWrite is the error of io.Copy for a Write that returns an impossible count.
var errInvalidWrite = errors.New("invalid write result")

// move moves up to want bytes. It may move fewer although the source has more.
func (t *transfer) move(want int64) (moved, error) {
	var m moved
	var err error
	switch t.strategy {
	case bySendfile, byRange:
		m, err = t.send(want)
	case bySplice:
		m, err = t.splice(want)
	case byReadFrom:
		return t.delegate(want)
	case byLending:
		return t.lend(want)
	default:
		return t.readWrite(want)
	}
	// A file that ends before its first byte may be one of /proc or /sys, whose bytes only read
	// returns.
	nothing := m.end && t.strategy != bySplice && t.result.Total() == 0
	if m.in == 0 && (nothing || errors.Is(err, errors.ErrUnsupported)) {
		t.decision = t.refused()
		return t.readWrite(want)
	}
	return m, err
}

// refused is the decision after the kernel moved nothing.
func (t *transfer) refused() decision {
	if f, ok := t.file(); ok {
		if v, known := notSendable(f); known {
			return v
		}
	}
	return copyBecause(reasonRefused, t.src)
}

// send moves bytes of a file to a socket or a file.
func (t *transfer) send(want int64) (moved, error) {
	var sent sendfile.Sent
	var err error
	if t.section != nil {
		sent, err = t.reusable.sender.Send(t.section.off+t.section.pos, want)
	} else {
		sent, err = t.reusable.sender.SendNext(want)
	}
	return moved{
		in: sent.Bytes, out: sent.Bytes, calls: sent.Calls, method: t.method,
		end: sent.Bytes == 0 && err == nil,
	}, err
}

// splice waits until the source's socket has bytes and passes them on.
func (t *transfer) splice(want int64) (moved, error) {
	was := t.splicer.Moved()
	n, err := t.splicer.Pass(want)
	did := t.splicer.Moved()
	m := moved{in: n + did.Lost - was.Lost, out: n, calls: did.Calls - was.Calls, method: t.method}
	switch {
	case err == io.EOF:
		m.end, err = true, nil
	case errors.Is(err, splice.ErrNoPipe):
		t.reason = reasonNoPipe // of these bytes; the next step may get one
		return t.readWrite(want)
	}
	return m, err
}

// delegate lets the destination's own ReadFrom move the bytes.
func (t *transfer) delegate(want int64) (moved, error) {
	if want == math.MaxInt64 { // no limit and no hooks: one call, as io.Copy would make
		n, err := t.dst.(io.ReaderFrom).ReadFrom(t.src)
		return moved{in: n, out: n, calls: 1, method: t.method, end: true, read: true}, err
	}
	want, err := t.await(want)
	if want == 0 || err != nil {
		return moved{method: t.method, end: err == nil}, err
	}
	t.part = io.LimitedReader{R: t.src, N: want}
	m := moved{method: t.method, calls: 1, read: true}
	var pos int64
	if t.section != nil { // if the destination ends in a connection of this package, that notes the method
		t.part.R, t.section.by, pos = t.section, m.method, t.section.pos
	}
	n, err := t.dst.(io.ReaderFrom).ReadFrom(&t.part)
	m.in, m.out = want-t.part.N, max(n, 0)
	if t.section != nil {
		t.section.pos, m.method, m.read = pos, t.section.by, false
	}
	if err == nil && m.out < m.in {
		err = io.ErrShortWrite
	}
	m.end = err == nil && m.out < want
	return m, err
}

// await returns how many bytes may be moved without waiting for more. If hooks want to see the
// bytes of a socket as they arrive, it waits until there are some. 0 without an error means that
// the source ended.
func (t *transfer) await(want int64) (int64, error) {
	if t.awaitConn == nil || len(t.layers) == 0 {
		return want, nil
	}
	n, err := t.reusable.peeker.wait(t.awaitConn)
	if errors.Is(err, errors.ErrUnsupported) {
		return want, nil
	}
	return min(n, want), err
}

// readWrite calls Read once and Write once. It does not use ReadFrom or WriteTo of either end, and
// follows the rules of io.Copy.
func (t *transfer) readWrite(want int64) (moved, error) {
	if t.buf == nil {
		t.buf = buffers.Get().(*[bufferBytes]byte)
	}
	p := t.buf[:min(want, bufferBytes)]
	n, readErr := t.src.Read(p)
	m := moved{in: int64(n), calls: 1, method: ByCopy, end: readErr == io.EOF, read: true}
	if n > 0 {
		if t.loan != nil {
			t.loan.mem = p[:n]
			t.base.loans.current.Store(t.loan)
		}
		written, err := t.dst.Write(p[:n])
		m.calls++
		if written < 0 || written > n {
			written = 0
			if err == nil {
				err = errInvalidWrite
			}
		}
		m.out = int64(written)
		if err == nil && written < n {
			err = io.ErrShortWrite
		}
		if err != nil {
			return m, err
		}
	}
	if m.end {
		readErr = nil
	}
	return m, readErr
}

// sink is the destination for a source that has its own WriteTo, such as an io.MultiReader. It
// writes what it gets, and copies from the readers that it gets on the best path for each.
type sink struct{ t *transfer }

// Write writes p in slices, between the hooks.
func (s *sink) Write(p []byte) (int, error) {
	total := 0
	for total < len(p) {
		n, err := s.write(p[total:min(len(p), total+sliceBytes)])
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

func (s *sink) write(p []byte) (int, error) {
	t := s.t
	want, err := t.askHooks(int64(len(p)))
	var n int
	if err == nil {
		n, err = t.dst.Write(p[:want])
		if err == nil && n < int(want) {
			err = io.ErrShortWrite
		}
	}
	m := moved{in: int64(max(n, 0)), out: int64(max(n, 0)), calls: 1, method: ByCopy, read: true}
	t.notify(m)
	t.reason = reasonWritten
	t.result.Bytes[ByCopy] += m.out
	t.result.Calls[ByCopy] += m.calls
	return int(m.out), err
}

// ReadFrom runs a nested transfer with the same hooks.
func (s *sink) ReadFrom(r io.Reader) (int64, error) {
	inner := newTransfer(s.t.dst, r)
	defer inner.release()
	inner.layers = append(inner.layers, s.t.layers...)
	err := inner.run(false)
	inner.result.Reason = inner.whyCopied()
	s.t.result.add(inner.result)
	return inner.result.Total(), err
}
