package run

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/catalog"
	"github.com/thresh-dev/thresh/internal/engine/stream"
	"github.com/thresh-dev/thresh/internal/input/decompress"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/memory"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

// compressed is a compressed file, whose content is read as a stream.
type compressed struct {
	file   *source.File // the compressed file, or the archive
	format decompress.Format
	member *decompress.Member // of an archive; nil for a file
	again  *lookBack          // for reads around hits; nil until the first one
}

// String describes the compressed file for the plan.
func (p *compressed) String() string {
	switch {
	case p.member != nil:
		return fmt.Sprintf("member of a zip archive, %s, %s", p.format, bytesize.Precise(p.member.Bytes))
	case p.file.Kind == source.Regular || p.file.Kind == source.Remote:
		return fmt.Sprintf("%s, %s compressed", p.format, bytesize.Precise(p.file.Bytes))
	}
	return p.format.String() + " from a stream"
}

// refuse returns why an engine cannot read the input; nil if it can.
func (p *compressed) refuse(name, wanted string) error {
	if e := catalog.Named(wanted); p == nil || wanted == plan.Auto || e != nil && e.Once {
		return nil
	}
	return &failure.EngineError{Engine: wanted, Name: name,
		Reason: fmt.Sprintf("it is compressed (%s), and its content comes once and in order; "+
			"use Run.Engine stream or auto, or thresh.Raw", p.format)}
}

// Smaller files are decompressed before other goroutines would have started.
var shareBytesMin = threshold.New("compressed: compressed bytes for several workers", 256<<10, 1)

// reader returns the content of a file or member, from its start; in is how it is read.
func (p *compressed) reader(in io.ReaderAt, o decompress.Options) io.ReadCloser {
	small := int64(shareBytesMin.Get())
	if p.member != nil {
		if p.member.Bytes < small {
			o.Workers = 1
		}
		return p.member.Reader(in, o)
	}
	if p.file.Bytes < small {
		o.Workers = 1
	}
	return decompress.NewInner(decompress.NewReader(io.NewSectionReader(in, 0, p.file.Bytes), p.format, o), o)
}

// streamReader returns the content of a compressed stream, from its start. When stop becomes true,
// a read that waits for the stream ends.
func (in *Input) streamReader(o decompress.Options, stop func() bool) io.ReadCloser {
	r := &streamed{stop: stop}
	outer := decompress.NewReader(in.fromStart(r.over), in.compressed.format, o)
	r.ReadCloser = decompress.NewInner(outer, o)
	return r
}

// streamed decompresses a stream. Closing it ends a read that waits for the stream.
type streamed struct {
	io.ReadCloser
	stop   func() bool
	closed atomic.Bool
}

func (r *streamed) over() bool { return r.closed.Load() || r.stop() }

func (r *streamed) Close() error {
	r.closed.Store(true)
	return r.ReadCloser.Close()
}

// engines returns the function that opens engines for the input.
func (in *Input) engines(o Options) scan.OpenEngine {
	pipe := in.comesOnce()
	switch {
	case in.compressed == nil && in.file.Kind == source.Remote:
		return openRemote
	case in.compressed == nil && !pipe:
		return openEngine
	}
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return func(_ string, f *source.File, c engine.Config) (engine.Engine, error) {
		u := decompress.Options{Workers: workers, MemBytes: max(c.SpareBytes, spareBytesMin)}
		if pipe {
			return in.openStream(f, c, u, o.Context)
		}
		file := in.compressed.file
		if file.Kind == source.Remote {
			u.MemBytes = max(u.MemBytes-source.WindowBytes, spareBytesMin)
			return stream.OpenReader(f.Name, watchObject(in.compressed.reader(file, u), file, c.Stop), c)
		}
		neutral := o.Cache == options.CacheNeutral || o.Cache == options.CacheAuto && tooMuchToKeep(file.Bytes,
			memory.AvailableBytes) != ""
		if !neutral || file.Kind != source.Regular {
			r, err := in.filtered(in.compressed.reader(file, u))
			if err != nil {
				return nil, err
			}
			return stream.OpenReader(f.Name, r, c)
		}
		n, err := newNeutralFile(file)
		if err != nil {
			return nil, err
		}
		r, err := in.filtered(&neutralReader{in.compressed.reader(n, u), n})
		if err != nil {
			return nil, err
		}
		return stream.OpenReader(f.Name, r, c)
	}
}

// neutralReader restores the page cache when it is closed.
type neutralReader struct {
	io.ReadCloser
	file *neutralFile
}

func (r *neutralReader) Close() error { return errors.Join(r.ReadCloser.Close(), r.file.Close()) }

// spareBytesMin is what one worker with a window of the usual size needs. The plan's base memory
// leaves room for it.
const spareBytesMin = 12 << 20

// readAt decompresses the content again, up to the end of the range.
func (p *compressed) readAt(b []byte, off int64) (int, error) {
	if p.again == nil {
		p.again = &lookBack{open: func() io.ReadCloser {
			return p.reader(p.file, decompress.Options{Workers: 1, MemBytes: memoryDefault})
		}}
	}
	return p.again.ReadAt(b, off)
}

// lookBack reads ranges of a stream that can be started again. Ascending ranges, which may
// overlap, need only one pass together.
type lookBack struct {
	open func() io.ReadCloser
	r    io.ReadCloser
	kept []byte // the bytes read last
	end  int64  // the offset after them
	err  error  // why nothing follows
}

// lookBackBytes is the least that is kept of what was read.
var lookBackBytes = threshold.New("compressed: bytes kept for looks around hits", 1<<20, 1)

// ReadAt reads a range. It returns io.EOF if the stream ends within the range.
func (l *lookBack) ReadAt(b []byte, off int64) (int, error) {
	if l.r == nil || off < l.end-int64(len(l.kept)) {
		if err := l.Close(); err != nil {
			return 0, err
		}
		l.r, l.kept, l.end, l.err = l.open(), nil, 0, nil
	}
	want := off + int64(len(b))
	keep := max(lookBackBytes.Get(), 2*len(b))
	for l.end < want && l.err == nil {
		if len(l.kept) >= 2*keep {
			l.kept = append(l.kept[:0], l.kept[len(l.kept)-keep:]...)
		}
		if cap(l.kept) < 2*keep {
			l.kept = append(make([]byte, 0, 2*keep), l.kept...)
		}
		var n int
		n, l.err = l.r.Read(l.kept[len(l.kept) : 2*keep])
		l.kept = l.kept[:len(l.kept)+n]
		l.end += int64(n)
	}
	first := l.end - int64(len(l.kept))
	if off >= l.end {
		return 0, l.err
	}
	n := copy(b, l.kept[off-first:])
	if n < len(b) {
		return n, l.err
	}
	return n, nil
}

func (l *lookBack) Close() error {
	if l == nil || l.r == nil {
		return nil
	}
	err := l.r.Close()
	l.r = nil
	return err
}

// neutralFile reads a compressed file once and in order, and drops the pages that this brought
// into the page cache.
type neutralFile struct {
	file     *source.File
	uncached []source.Range // before reading, ascending; what has been dropped is removed
}

var (
	// The page cache is examined in steps of this size, because the answer takes a byte a page.
	cacheStepBytes = threshold.New("compressed: look at the page cache", 1<<30, 4096)
	// Pages are dropped this far behind the reader, so that there are few at any time.
	dropEveryBytes = threshold.New("compressed: bytes read before pages are dropped", 16<<20, 1)
)

// newNeutralFile examines the page cache before anything is read.
func newNeutralFile(f *source.File) (*neutralFile, error) {
	n := &neutralFile{file: f}
	step := int64(cacheStepBytes.Get())
	for off := int64(0); off < f.Bytes; off += step {
		missing, err := f.Uncached(source.Range{Off: off, End: min(off+step, f.Bytes)})
		if err != nil {
			return nil, fmt.Errorf("cache-neutral reading: %w", err)
		}
		n.uncached = append(n.uncached, missing...)
	}
	return n, nil
}

// ReadAt reads, and drops pages that lie far enough behind.
func (n *neutralFile) ReadAt(p []byte, off int64) (int, error) {
	got, err := n.file.ReadAt(p, off)
	behind := int64(dropEveryBytes.Get())
	if len(n.uncached) > 0 && off-n.uncached[0].Off >= 2*behind {
		if err := n.drop(off - behind); err != nil {
			return got, err
		}
	}
	return got, err
}

// drop drops the pages before end.
func (n *neutralFile) drop(end int64) error {
	for len(n.uncached) > 0 && n.uncached[0].Off < end {
		first := &n.uncached[0]
		done := source.Range{Off: first.Off, End: min(first.End, end)}
		if err := n.file.Drop(done); err != nil {
			return err
		}
		if first.Off = done.End; first.Off == first.End {
			n.uncached = n.uncached[1:]
		}
	}
	return nil
}

// Close drops the remaining pages, including those that the system read ahead.
func (n *neutralFile) Close() error { return n.drop(n.file.Bytes) }
