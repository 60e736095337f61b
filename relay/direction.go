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
	// Below some 8 KiB a step, the pages of a splice cost more than the bytes of a copy.
	smallBytes = 8 << 10
	// A direction is busy when so much has gone by steps that are not small, and quiet when
	// so many small ones come in a row. Between the two lies enough to make a change pay.
	busyBytes  = 256 << 10
	quietSteps = 16
	// More than a busy socket has to give at a time.
	passBytes = 1 << 20
)

// direction passes the bytes of one connection on to the other. It copies until it has
// proved busy, splices as long as it is, and copies when there is no pipe to be had.
type direction struct {
	dst, src net.Conn
	pipes    *splice.PipePool
	metrics  *directionMetrics
	passed   atomic.Int64 // bytes that dst took, counted as it takes them: the progress

	raw          *rawCopy        // nil where a connection is not a plain socket
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

// run passes bytes on until the source ends, and then ends the destination.
func (d *direction) run() error {
	for {
		var n int64
		var err error
		if d.busy {
			n, err = d.splice()
		} else {
			n, err = d.copy()
		}
		if err == io.EOF {
			return closeWrite(d.dst)
		}
		if err != nil {
			return err
		}
		d.adapt(n)
	}
}

// judge decides how the next step goes, from the size of this one.
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

// splice passes on what the source has, without a look at it. Where that cannot be, or not
// now, it passes nothing on, and the direction copies until it has proved busy again.
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
	d.busy, d.bulk = false, 0
	if errors.Is(err, splice.ErrNoPipe) {
		d.metrics.noPipe.Inc()
	} else {
		d.cannotSplice = true
	}
	return nil
}

// copyBytes is what one copy takes at most. It is also what a connection with a slow reader
// holds in memory until it has proved busy.
const copyBytes = 32 << 10

// buffers are those of all copies. Raw copies take one when their source has something and
// give it back when it has been written, so there are about as many as copies run at once.
var buffers = sync.Pool{New: func() any { return new([copyBytes]byte) }}

// copy passes on what the source has, through a buffer.
func (d *direction) copy() (n int64, err error) {
	if d.raw != nil {
		n, err = d.raw.pass()
	} else {
		n, err = d.copyPlain()
	}
	d.metrics.byCopy.AddInt64(n)
	return n, err
}

// copyPlain is for connections that can only be read and written: it has its buffer while
// it waits as well.
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

// errNoHalf ends a pair when a direction ends whose destination can only be closed whole.
var errNoHalf = errors.New("connection without CloseWrite")

// closeWrite tells the other side that no more comes, and keeps listening to it.
func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errNoHalf
}
