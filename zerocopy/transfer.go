package zerocopy

import (
	"errors"
	"io"
	"math"
	"net/http"
	"sync"
	"syscall"

	"github.com/thresh-dev/thresh/internal/net/sendfile"
	"github.com/thresh-dev/thresh/internal/net/splice"
)

const (
	// sliceBytes is the most that is moved between two calls of the hooks. From 256 KiB on, the
	// cost of a slice is too small to measure; 2 MiB keep the number of calls for a GiB well below
	// 1,500 even if a full socket cuts them short.
	sliceBytes  = 2 << 20
	bufferBytes = 32 << 10 // the buffer of a copy through memory
)

// A transfer moves bytes from one end to another. Every function of this package that copies runs
// one:
//
//	unwrapSource, unwrapDestination   unwrap both ends, collect hooks and limits
//	choose                            decides on a strategy; Path reports the decision
//	run                               slice by slice: hooks before, move, hooks after, limits lowered
//
// If a strategy fails before it moved anything, the transfer copies through memory instead.
type transfer struct {
	src        io.Reader
	dst        io.Writer
	section    *Section            // the source, if it has a cursor of its own
	stdSection *io.SectionReader   // the io.SectionReader that section replaces
	sectionBuf Section             // memory for that replacement
	limits     []*io.LimitedReader // outermost first; each is lowered by the bytes that left the source
	layers     []layer             // outermost first, the source's before the destination's

	dryRun bool // for Path: check what a real transfer learns from its first system call
	decision
	result Result

	// How many layers, and hooks of the last of these, had their Before called for this slice.
	layersAsked, hooksPassed int

	splicer   *splice.Splicer
	awaitConn syscall.RawConn  // the socket from which dst.ReadFrom reads
	part      io.LimitedReader // limits src for dst.ReadFrom
	request   *http.Request    // whose response dst is; nil: unknown
	base      *responseWriter  // of NewHandler, below dst: for lending
	forwards  bool             // dst passed on what it was lent last
	loan      *loan            // to tell readWrite
	lent      mapping
	buf       *[bufferBytes]byte
	reusable  *reusable

	limitsBuf [4]*io.LimitedReader
	layersBuf [6]layer
}

// reusable is what a pooled transfer keeps: its closures are bound to it once.
type reusable struct {
	sender sendfile.Sender
	peeker peeker
}

var (
	transfers = sync.Pool{New: func() any { return &transfer{reusable: new(reusable)} }}
	buffers   = sync.Pool{New: func() any { return new([bufferBytes]byte) }}
)

func newTransfer(dst io.Writer, src io.Reader) *transfer {
	t := transfers.Get().(*transfer)
	t.limits, t.layers = t.limitsBuf[:0], t.layersBuf[:0]
	t.unwrapSource(src)
	t.unwrapDestination(dst)
	return t
}

// release returns the transfer to the pool, without references.
func (t *transfer) release() {
	if t.buf != nil {
		buffers.Put(t.buf)
	}
	if err := t.lent.unmap(); err != nil {
		panic("thresh: bug: unmap: " + err.Error()) // only a wrong address fails
	}
	t.reusable.sender.Clear()
	t.reusable.peeker.clear()
	*t = transfer{reusable: t.reusable}
	transfers.Put(t)
}

// transferAll copies from src to dst. allowWriteTo permits src to use its own WriteTo if nothing
// else helps. A ReadFrom must not permit that, because that WriteTo may have called it.
func transferAll(dst io.Writer, src io.Reader, allowWriteTo bool) (Result, error) {
	if dst == nil || src == nil {
		return Result{}, errors.New("zerocopy: the destination or the source of a copy is nil")
	}
	t := newTransfer(dst, src)
	defer t.release()
	err := t.run(allowWriteTo)
	return t.result, err
}

// transferReported is transferAll for callers that read the Result's Reason, which costs a text.
func transferReported(dst io.Writer, src io.Reader) (Result, error) {
	t := newTransfer(dst, src)
	defer t.release()
	err := t.run(true)
	t.result.Reason = t.whyCopied()
	return t.result, err
}

// whyCopied returns the Reason of the result.
func (t *transfer) whyCopied() string {
	switch {
	case t.result.Bytes[ByCopy] == 0:
		return ""
	case t.result.Reason != "": // of a nested transfer
		return t.result.Reason
	case t.strategy == byLending && t.result.Bytes[ByCopy] <= bufferBytes:
		return ""
	case t.strategy == byLending && t.method != ByCopy:
		return copyBecause(reasonTransforms, t.dst).route().Reason
	}
	return t.decision.route().Reason
}

func (t *transfer) run(allowWriteTo bool) error {
	t.decision = t.choose(allowWriteTo)
	if t.strategy == byWriteTo {
		_, err := t.src.(io.WriterTo).WriteTo(&sink{t})
		return err
	}
	if err := t.openDescriptors(); err != nil {
		t.decision = copyBecause(reasonRefused, t.src) // no descriptors; Read or Write returns the error
	}
	for {
		want := min(t.remaining(), t.sliceMax())
		if want == 0 {
			return nil
		}
		end, err := t.slice(want)
		if end || err != nil {
			return err
		}
	}
}

// openDescriptors gets the descriptors for this package's system calls.
func (t *transfer) openDescriptors() (err error) {
	var in, out syscall.RawConn
	if t.strategy == bySplice || t.strategy == byReadFrom && stream(t.src) {
		if in, err = t.src.(syscall.Conn).SyscallConn(); err != nil {
			return err
		}
	}
	if t.strategy == bySplice || t.strategy == bySendfile || t.strategy == byRange {
		if out, err = t.dst.(syscall.Conn).SyscallConn(); err != nil {
			return err
		}
	}
	switch t.strategy {
	case bySendfile, byRange:
		var disk Semaphore
		f, _ := t.file()
		if t.section != nil {
			disk = t.section.disk
		}
		return t.reusable.sender.Reset(out, f, t.strategy == byRange, disk)
	case bySplice:
		t.splicer, err = splice.NewSplicer(out, in, splice.SharedPool(), nil)
	case byReadFrom:
		t.awaitConn = in
	}
	return err
}

// remaining returns how many bytes the limits and the section still allow.
func (t *transfer) remaining() int64 {
	n := int64(math.MaxInt64)
	for _, l := range t.limits {
		n = min(n, max(l.N, 0))
	}
	if t.section != nil {
		n = min(n, t.section.remaining())
	}
	return n
}

func (t *transfer) sliceMax() int64 {
	switch {
	case t.strategy == byReadWrite:
		return bufferBytes
	case len(t.layers) == 0 && (t.strategy == byReadFrom || t.strategy == byRange):
		return math.MaxInt64 // no hooks
	}
	return sliceBytes
}

// slice moves up to want bytes between the hooks and reports whether the source ended.
func (t *transfer) slice(want int64) (end bool, err error) {
	var m moved
	want, err = t.askHooks(want)
	if err == nil {
		m, err = t.move(want)
	}
	t.notify(m)
	t.advance(m)
	return m.end, err
}

// askHooks calls Before of the hooks in turn and returns how many bytes may be moved. It records
// which hooks it called.
func (t *transfer) askHooks(want int64) (allowed int64, err error) {
	t.layersAsked, t.hooksPassed = 0, 0
	for _, l := range t.layers {
		t.layersAsked++
		if want, t.hooksPassed, err = before(l.ctx, l.hooks, want); err != nil {
			return 0, err
		}
	}
	return want, nil
}

// notify reports the bytes transferred to every hook whose Before returned no error.
func (t *transfer) notify(m moved) {
	for i, l := range t.layers[:t.layersAsked] {
		hooks := l.hooks
		if i == t.layersAsked-1 {
			hooks = hooks[:t.hooksPassed]
		}
		n := m.in
		if l.dst {
			n = m.out
		}
		after(hooks, n, m.method)
	}
}

// moved is the result of one step.
type moved struct {
	in, out int64 // bytes that left the source, bytes that reached the destination
	calls   int64
	method  Method
	end     bool // the source ended
	read    bool // the source moved its own cursor
}

// advance updates the result, the limits and the cursors after a step.
func (t *transfer) advance(m moved) {
	t.result.Bytes[m.method] += m.out
	t.result.Calls[m.method] += m.calls
	for _, l := range t.limits {
		l.N -= m.in
	}
	if t.section == nil {
		return
	}
	t.section.by = m.method
	// Read, and the destination's ReadFrom, use the source as it was passed and so move its own
	// cursor; the other strategies move none. A section that replaces stdSection is not that
	// source: it must follow.
	if !m.read || t.stdSection != nil {
		t.section.pos += m.in
	}
	if !m.read && t.stdSection != nil {
		if _, err := t.stdSection.Seek(t.section.pos, io.SeekStart); err != nil {
			panic("thresh: bug: seek in a section: " + err.Error()) // only a negative offset fails
		}
	}
}
