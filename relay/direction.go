package relay

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/net/splice"
)

const (
	// Below about 8 KiB per step, splicing costs more for the pages than copying for the bytes.
	smallBytes = 8 << 10
	// A direction becomes busy after busyBytes in steps that are not small, and quiet after
	// quietSteps small ones in a row. The distance between the two makes sure that a change pays
	// off.
	busyBytes  = 256 << 10
	quietSteps = 16
	// More than a busy socket offers at a time.
	passBytes = 1 << 20
)

// direction forwards the bytes of one connection to the other. It copies until it proves busy,
// splices while it is busy, and copies if no pipe is available.
type direction struct {
	dst, src net.Conn
	pipes    *splice.PipePool
	metrics  *directionMetrics
	passed   atomic.Int64 // bytes that dst accepted, updated at once: the progress

	raw          *rawCopy        // nil if one connection is not a plain socket
	splicer      *splice.Splicer // nil until the first splice
	cannotSplice bool            // these two cannot be spliced
	busy         bool
	bulk         int64 // passed since the last small step, while not busy
	quiet        int   // small steps in a row, while busy
}

func (d *direction) init(dst, src net.Conn, r *Relay, f *directionMetrics) {
	d.dst, d.src, d.pipes, d.metrics = dst, src, r.pipes, f
	d.raw = newRawCopy(dst, src, &d.passed)
	d.cannotSplice = d.raw == nil
}

// run forwards bytes until the source ends, and then closes the writing half of the destination.
func (d *direction) run() error {
	for {
		_, err := d.step()
		if err == io.EOF {
			return closeWrite(d.dst)
		}
		if err != nil {
			return err
		}
	}
}

// step forwards what the source has, returns how much that was, and chooses how the next step does it.
func (d *direction) step() (n int64, err error) {
	if d.busy {
		n, err = d.splice()
	} else {
		n, err = d.copy()
	}
	if err == nil {
		d.adapt(n)
	}
	return n, err
}

// adapt chooses between copy and splice for the next step, from the size n of this one.
func (d *direction) adapt(n int64) {
	switch {
	case d.busy && n >= smallBytes:
		d.quiet = 0
	case d.busy:
		if d.quiet++; d.quiet >= quietSteps {
			d.busy, d.bulk = false, 0
		}
	case n < smallBytes:
		d.bulk = 0
	default:
		d.bulk += n
		d.busy = d.bulk >= busyBytes && !d.cannotSplice
		d.quiet = 0
	}
}

// splice forwards what the source has, without looking at it. If splicing is impossible, or
// impossible for now, it forwards nothing and the direction copies until it proves busy again.
func (d *direction) splice() (int64, error) {
	if d.splicer == nil {
		line, err := splice.NewSplicer(d.raw.dst, d.raw.src, d.pipes, &d.passed)
		if err != nil {
			return 0, d.spliceFailed(err)
		}
		d.splicer = line
	}
	calls := d.splicer.Moved().Calls
	n, err := d.splicer.Pass(passBytes)
	d.metrics.bySplice.AddInt64(n)
	d.metrics.splices.AddInt64(d.splicer.Moved().Calls - calls)
	if err != nil && err != io.EOF {
		err = d.spliceFailed(err)
	}
	return n, err
}

func (d *direction) spliceFailed(err error) error {
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	d.busy = false
	if errors.Is(err, splice.ErrNoPipe) {
		d.metrics.noPipe.Inc()
	} else {
		d.cannotSplice = true
	}
	return nil
}

// copyBytes is the most that one copy moves. A connection with a slow reader holds that much memory
// until it proves busy.
const copyBytes = 32 << 10

// buffers holds the buffers of all copies. A raw copy takes one when its source has bytes and
// returns it once they are written, so there are about as many as copies that run at once.
var buffers = sync.Pool{New: func() any { return new([copyBytes]byte) }}

// copy forwards what the source has through a buffer.
func (d *direction) copy() (n int64, err error) {
	if d.raw != nil {
		n, err = d.raw.pass()
	} else {
		n, err = d.copyPlain()
	}
	d.metrics.byCopy.AddInt64(n)
	return n, err
}

// copyPlain serves connections that offer only Read and Write. It holds its buffer while it waits,
// too.
func (d *direction) copyPlain() (int64, error) {
	buf := buffers.Get().(*[copyBytes]byte)
	defer buffers.Put(buf)
	n, rerr := d.src.Read(buf[:])
	m, werr := 0, error(nil)
	if n > 0 {
		m, werr = d.dst.Write(buf[:n])
		d.passed.Add(int64(m))
	}
	if werr != nil {
		return int64(m), werr
	}
	return int64(m), rerr
}

// errNoHalf ends a pair whose source has ended and whose destination can only be closed as a whole.
var errNoHalf = errors.New("connection has no CloseWrite")

// closeWrite ends the stream to c; c can still send.
func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errNoHalf
}
