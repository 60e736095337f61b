package run

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/mmap"
	"github.com/thresh-dev/thresh/internal/engine/uring"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/wall"
	"github.com/thresh-dev/thresh/internal/quantile"
)

const (
	probeTime         = 10 * time.Millisecond
	probePieceBytes   = 64 << 10 // what the system maps by one fault of a small page; it stays in a core's cache
	storageProbeTime  = 200 * time.Millisecond
	storageProbeBytes = 1 << 20
)

// probe measures what a run on a file spent its processor time on: the function on bytes in the cache, copies, page
// faults, and the function on pages that are mapped already. It counts the processor time of this thread, which other
// programs don't lengthen. Mapped says that the range may be mapped without waiting for storage; otherwise only its
// first bytes are read. What could not be measured is 0.
func probe(ctx context.Context, budget time.Duration, function func([]byte), f *source.File, span source.Range,
	mapped bool) wall.Probes {
	if f.Kind == source.Stream || f.OS() == nil || span.Len() <= 0 {
		return wall.Probes{}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := prober{function: function, buf: make([]byte, min(span.Len(), probePieceBytes))}
	until := time.Now().Add(budget)
	going := func() bool { return (len(p.copied) == 0 || time.Now().Before(until)) && ctx.Err() == nil }
	pieces := span.Len() / int64(len(p.buf))
	if !mapped {
		pieces = 1
	}
	at := func() int64 { return span.Off + rand.Int64N(pieces)*int64(len(p.buf)) }
	if !mapped || p.overMapping(f, going, at) != nil {
		for going() && p.copy(f.OS(), at()) {
		}
	}
	return wall.Probes{Cached: usual(p.cached), Copied: usual(p.copied), Mapped: usual(p.mapped),
		FaultNanos: usual(p.faulted)}
}

// prober collects what pieces took: GB/s, and nanoseconds a fault. What most of them took is less disturbed by others
// than their sum.
type prober struct {
	function                        func([]byte)
	buf                             []byte
	cached, copied, mapped, faulted []float64
	warm                            bool
}

// overMapping probes pieces of a mapping, and copies of others in turn.
func (p *prober) overMapping(f *source.File, going func() bool, at func() int64) error {
	e, err := mmap.Open(f, engine.Config{PieceBytes: len(p.buf)})
	if err != nil {
		return err
	}
	r, err := e.Reader()
	if err != nil {
		return errors.Join(err, e.Close())
	}
	err = r.Run(func() (engine.Piece, bool) {
		return engine.Piece{Off: at(), Len: len(p.buf)}, going()
	}, func(_ engine.Piece, b engine.Block, _ bool) bool {
		return b.Err == nil && p.copy(f.OS(), at()) && p.scan(b.Data[:b.Len])
	})
	return errors.Join(err, r.Close(), e.Close())
}

// copy reads a piece, and runs the function on it. It returns false if the file has shrunk.
func (p *prober) copy(f io.ReaderAt, off int64) bool {
	began := wall.TakeThread()
	if _, err := f.ReadAt(p.buf, off); err != nil {
		return false
	}
	read := wall.TakeThread()
	p.function(p.buf)
	if !p.warm { // its code and tables are in the cache now
		p.warm = true
		return p.copy(f, off)
	}
	p.copied = append(p.copied, rate(len(p.buf), read.Busy-began.Busy))
	p.cached = append(p.cached, rate(len(p.buf), wall.TakeThread().Busy-read.Busy))
	return true
}

// usual returns the median, 0 of no values.
func usual(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return quantile.Median(values)
}

func rate(bytes int, took time.Duration) float64 { return float64(bytes) / float64(max(took, 1)) }

// scan touches each page of a piece twice, each time another line: the second time takes as long but for the faults.
// Then it runs the function on it.
func (p *prober) scan(piece []byte) bool {
	began := wall.TakeThread()
	touched := touch(piece)
	first := wall.TakeThread()
	touched |= touch(piece[min(len(piece)-1, os.Getpagesize()/2):])
	second := wall.TakeThread()
	p.function(piece)
	ended := wall.TakeThread()
	runtime.KeepAlive(touched) // otherwise the loads may be left out
	if ended.MajorFaults > began.MajorFaults {
		return true // it came from storage
	}
	if faults := first.MinorFaults - began.MinorFaults; faults > 0 {
		took := first.Busy - began.Busy - (second.Busy - first.Busy)
		p.faulted = append(p.faulted, float64(max(took, 0))/float64(faults))
	}
	p.mapped = append(p.mapped, rate(len(piece), ended.Busy-second.Busy))
	return true
}

func touch(b []byte) (or byte) {
	for i := 0; i < len(b); i += os.Getpagesize() {
		or |= b[i]
	}
	return or
}

// probeStorage reads pieces at random places of the range directly, without scanning them, and
// returns GB/s. It returns an error if the file cannot be read directly.
func probeStorage(ctx context.Context, budget time.Duration, f *source.File, span source.Range) (float64, error) {
	e, err := uring.Open(f, engine.Config{PieceBytes: storageProbeBytes, BlockBytes: storageProbeBytes,
		Depth: uring.DefaultDepth})
	if err != nil {
		return 0, err
	}
	r, err := e.Reader()
	if err != nil {
		return 0, errors.Join(err, e.Close())
	}
	pieces := span.Len() / storageProbeBytes
	began, read := time.Now(), int64(0)
	err = r.Run(func() (engine.Piece, bool) {
		if pieces == 0 || ctx.Err() != nil || time.Since(began) > budget {
			return engine.Piece{}, false
		}
		return engine.Piece{Off: span.Off + rand.Int64N(pieces)*storageProbeBytes, Len: storageProbeBytes}, true
	}, func(_ engine.Piece, b engine.Block, _ bool) bool {
		read += int64(b.Len)
		return true
	})
	rate := float64(read) / time.Since(began).Seconds() / 1e9
	return rate, errors.Join(err, r.Close(), e.Close())
}
