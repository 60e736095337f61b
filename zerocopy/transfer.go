package zerocopy

import (
	"io"
	"math"
	"sync"
	"syscall"

	"github.com/thresh-dev/thresh/internal/net/sendfile"
	"github.com/thresh-dev/thresh/internal/net/splice"
)

const (
	// sliceBytes is the most that goes between two looks of the hooks. From 256 KiB on the cost
	// of a slice cannot be told from none; 2 MiB keep the calls for a GiB well below 1,500 also
	// where a full socket cuts them short.
	sliceBytes  = 2 << 20
	bufferBytes = 32 << 10 // of a copy through memory
)

// A transfer moves bytes from one end to another. All functions of this package that copy
// are one of these:
//
//	from, to   peel the wrappers of both ends, and collect their hooks and limits
//	choose     finds the way that the two ends allow; Path shows what it says
//	run        goes slice by slice: hooks before, move, hooks after, limits lowered
//
// A way that turns out not to work before it moved anything becomes a copy through memory.
type transfer struct {
	src        io.Reader
	dst        io.Writer
	section    *Section            // the source, if it has a cursor of its own
	stdSection *io.SectionReader   // the standard section that section stands for
	sectionBuf Section             // room for that one
	limits     []*io.LimitedReader // outermost first; all are lowered by what went
	layers     []layer             // outermost first, those of the source before those of the destination

	dryRun bool // only to tell the way: a transfer finds out by its first call what a file cannot do
	decision
	result Result

	layersAsked, hooksPassed int // layers that were asked before this slice; hooks of the last of them

	splicer   *splice.Splicer
	awaitConn syscall.RawConn  // the socket from which others read
	part      io.LimitedReader // of the source, for others' ReadFrom
	buf       *[bufferBytes]byte
	reusable  *reusable

	limitsBuf [4]*io.LimitedReader
	layersBuf [6]layer
}

// held is what stays with a transfer when it is used again: its closures are bound to it.
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

// release gives the transfer back, without what it refers to.
func (t *transfer) release() {
	if t.buf != nil {
		buffers.Put(t.buf)
	}
	t.reusable.sender.Clear()
	t.reusable.peeker.clear()
	*t = transfer{reusable: t.reusable}
	transfers.Put(t)
}

// transferAll copies from src to dst. Where nothing else helps, src may use its own WriteTo
// if allowWriteTo is set: a ReadFrom must not call that, as it may have been called by it.
func transferAll(dst io.Writer, src io.Reader, allowWriteTo bool) (Result, error) {
	t := newTransfer(dst, src)
	defer t.release()
	err := t.run(allowWriteTo)
	return t.result, err
}

func (t *transfer) run(allowWriteTo bool) error {
	t.decision = t.choose(allowWriteTo)
	if t.strategy == byWriteTo {
		_, err := t.src.(io.WriterTo).WriteTo(&sink{t})
		return err
	}
	if err := t.openDescriptors(); err != nil {
		t.strategy, t.method = byReadWrite, ByCopy // the ends do not give their descriptors: they say why themselves
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

// open readies the descriptors for the calls of this package.
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
		var gate Semaphore
		f, _ := t.file()
		if t.section != nil {
			gate = t.section.disk
		}
		return t.reusable.sender.Reset(out, f, t.strategy == byRange, gate)
	case bySplice:
		t.splicer, err = splice.NewSplicer(out, in, splice.SharedPool(), nil)
	case byReadFrom:
		t.awaitConn = in
	}
	return err
}

// left returns how many bytes the limits, and the section, still let go.
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
		return math.MaxInt64 // nobody looks
	}
	return sliceBytes
}

// slice moves up to want bytes between the hooks, and reports whether the source ended.
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

// ask asks the hooks in turn how many bytes may go, and notes how many of them it asked.
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

// tell tells those that were asked, and had no error, what went.
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

// moved is what one step did.
type moved struct {
	in, out int64 // bytes that left the source, bytes that reached the destination
	calls   int64
	method  Method
	end     bool // the source ended
}

// advance accounts for bytes that left the source and reached the destination.
func (t *transfer) advance(m moved) {
	t.result.Bytes[m.method] += m.out
	t.result.Calls[m.method] += m.calls
	for _, l := range t.limits {
		l.N -= m.in
	}
	if t.section == nil {
		return
	}
	// Where others read, they read from the source as it was given, and move its cursor.
	others := t.strategy == byReadWrite || t.strategy == byReadFrom
	if !others || t.stdSection != nil {
		t.section.pos += m.in
	}
	if !others && t.stdSection != nil {
		if _, err := t.stdSection.Seek(t.section.pos, io.SeekStart); err != nil {
			panic("thresh: bug: seek in a section: " + err.Error()) // only a negative offset is refused
		}
	}
}
