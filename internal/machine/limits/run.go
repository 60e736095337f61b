package limits

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// run is one measurement in progress.
type run struct {
	ctx     context.Context
	sizes   sizes
	path    string
	workers int
	c       *Ceilings

	busyTime func() (time.Duration, bool)

	crowded bool // other programs were seen to use the processors
	// swept is the time of all sweeps so far, and sweptCPU the processor time that the program had
	// in it.
	swept, sweptCPU time.Duration
}

// openWorkers are the numbers of workers to open files with.
var openWorkers = [...]int{1, 2, 4, 8, 16}

func measure(ctx context.Context, o Options, s sizes) (*Ceilings, error) {
	if o.Path == "" {
		o.Path = "."
	}
	id, err := Identify(o.Path)
	if err != nil {
		return nil, err
	}
	c := &Ceilings{Format: Format, Identity: id, Absent: map[string]string{}}
	for _, n := range openWorkers {
		c.Opens = append(c.Opens, Opens{Workers: n})
	}
	r := &run{ctx: ctx, sizes: s, path: o.Path, workers: runtime.GOMAXPROCS(0), c: c, busyTime: systemBusyTime}
	if o.busyTime != nil {
		r.busyTime = o.busyTime
	}
	others, err := r.idle()
	if err != nil {
		return nil, err
	}
	began := r.usage()
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"memory", r.memory},
		{"scheduler", r.scheduler},
		{"files opened", r.opens},
		{"storage and page cache", r.file},
	} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(step.name)
		}
		if err := step.do(); err != nil {
			return nil, err
		}
	}
	r.doubt()
	c.Busy = r.busyReason(max(others, began.others(r.usage())))
	c.Taken = time.Now().UTC().Truncate(time.Second)
	return c, nil
}

// figure collects samples of f in a figure. The first sample is a warm-up and is discarded. If f
// fails, the figure is absent and the error is the reason; figure itself fails only when the
// context ends.
func (r *run) figure(into *Figure, f func() (float64, error)) error {
	var samples []float64
	start := time.Now()
	for i := 0; i <= r.sizes.samplesMax; i++ {
		if i > r.sizes.samplesMin && time.Since(start) > r.sizes.figureTime {
			break
		}
		sample, err := f()
		if ctxErr := r.ctx.Err(); ctxErr != nil {
			return ctxErr
		}
		if err != nil {
			r.absent(err.Error(), into)
			return nil
		}
		if i > 0 {
			samples = append(samples, sample)
		}
	}
	*into = figureOf(r.row(into).unit, samples)
	return nil
}

// absent records why figures are not measured.
func (r *run) absent(reason string, figures ...*Figure) {
	for _, f := range figures {
		r.c.Absent[r.row(f).key] = reason
	}
}

func (r *run) row(f *Figure) row {
	for _, row := range r.c.rows() {
		if row.figure == f {
			return row
		}
	}
	panic("thresh: bug: a figure that has no row in the table")
}

// sweep lets workers visit total bytes in pieces, lowest first, and returns GB/s. It has the
// structure of every scan: all workers draw from one cursor. The clock starts once all workers run:
// waking them up may take milliseconds, which do not matter in a long scan.
func (r *run) sweep(workers, total, pieceBytes int,
	visit func(worker, off, n int) error) (float64, error) {
	var cursor atomic.Int64
	var group sync.WaitGroup
	errs := make([]error, workers)
	line := startLine{workers: int64(workers)}
	for w := range workers {
		group.Go(func() {
			line.wait()
			for errs[w] == nil {
				off := int(cursor.Add(int64(pieceBytes))) - pieceBytes
				if off >= total {
					return
				}
				if errs[w] = r.ctx.Err(); errs[w] == nil {
					errs[w] = visit(w, off, min(pieceBytes, total-off))
				}
			}
		})
	}
	group.Wait()
	took := time.Since(line.at)
	r.swept += took
	r.sweptCPU += processorTime() - line.cpu
	return float64(total) / float64(took.Nanoseconds()), errors.Join(errs...)
}

// startLine holds workers back until all of them are there. The last one records the time.
type startLine struct {
	workers int64
	ready   atomic.Int64
	started atomic.Bool
	at      time.Time
	cpu     time.Duration // processor time of the program at that moment
}

func (l *startLine) wait() {
	if l.ready.Add(1) == l.workers {
		l.at, l.cpu = time.Now(), processorTime()
		l.started.Store(true)
	}
	for !l.started.Load() {
		runtime.Gosched()
	}
}

// memory reads the process's own memory, much larger than the caches. Pieces of half a megabyte
// keep the workers close to each other, as in a scan.
func (r *run) memory() error {
	b, free, err := alloc(r.sizes.memoryBytes)
	if err != nil {
		r.absent(err.Error(), &r.c.MemoryOne, &r.c.MemoryAll)
		return nil
	}
	defer free()
	// Untouched memory is one shared page of zeros, which would be read from the cache. All workers
	// touch it together, because zeroing takes most of the time of this figure.
	_, err = r.sweep(r.workers, len(b), 2<<20, func(_, off, n int) error {
		for i := off; i < off+n; i += 4096 {
			b[i] = 1
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.oneAndAll(&r.c.MemoryOne, &r.c.MemoryAll, func(workers int) (float64, error) {
		return r.sweep(workers, len(b), 512<<10, func(_, off, n int) error {
			scan(b[off : off+n])
			return nil
		})
	})
}

// oneAndAll measures f, which keeps its workers busy, with one worker and with all of them.
func (r *run) oneAndAll(one, all *Figure, f func(workers int) (float64, error)) error {
	if err := r.busy(one, 1, f); err != nil {
		return err
	}
	return r.busy(all, r.workers, f)
}

// busyShare is the least share of their time for which busy workers have a processor if nothing
// else runs on the machine.
const busyShare = 0.9

// busy measures f, which keeps its workers busy. If other programs used the processors meanwhile,
// the figure is noisy, however little its samples differ.
func (r *run) busy(into *Figure, workers int, f func(workers int) (float64, error)) error {
	r.swept, r.sweptCPU = 0, 0
	if err := r.figure(into, func() (float64, error) { return f(workers) }); err != nil {
		return err
	}
	wanted := busyShare * float64(workers) * float64(r.swept)
	if r.sweptCPU > 0 && float64(r.sweptCPU) < wanted && into.Samples > 0 {
		into.Noisy, r.crowded = true, true
	}
	return nil
}

// doubt marks as noisy what several workers reached together, if other programs used the processors
// at any time: these figures then come from fewer processors too, and the samples alone do not show
// it.
func (r *run) doubt() {
	if !r.crowded {
		return
	}
	doubtful := []*Figure{&r.c.Wake, &r.c.Atomic, &r.c.Mutex}
	for i := range r.c.Opens {
		if r.c.Opens[i].Workers > 1 {
			doubtful = append(doubtful, &r.c.Opens[i].Rate)
		}
	}
	for _, f := range doubtful {
		f.Noisy = f.Samples > 0
	}
}

// file measures everything that needs a file: storage first, then the page cache.
func (r *run) file() (err error) {
	cached := []*Figure{&r.c.CopyOne, &r.c.CopyAll, &r.c.MappedOne, &r.c.MappedAll,
		&r.c.Populate, &r.c.FaultSmall, &r.c.FaultHuge}
	t, err := r.temporary()
	if err != nil {
		return r.without(err, append(cached, &r.c.DirectRead, &r.c.ColdRead)...)
	}
	defer func() { err = errors.Join(err, t.close()) }()
	if err := r.storage(t); err != nil {
		return err
	}
	if err := t.readBack(r.ctx); err != nil {
		return r.without(err, cached...)
	}
	if err := r.copies(t); err != nil {
		return err
	}
	return r.mappings(t)
}

// without records why figures are not measured. If the reason is the end of the context, it returns
// that error.
func (r *run) without(reason error, figures ...*Figure) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	r.absent(reason.Error(), figures...)
	return nil
}

// copyBytes is the size of the buffer for page-cache copies: small enough for a core's cache.
const copyBytes = 256 << 10

func (r *run) copies(t *temporary) error {
	buffers, free, err := allocEach(r.workers, copyBytes)
	if err != nil {
		r.absent(err.Error(), &r.c.CopyOne, &r.c.CopyAll)
		return nil
	}
	defer free()
	return r.oneAndAll(&r.c.CopyOne, &r.c.CopyAll, func(workers int) (float64, error) {
		return r.sweep(workers, t.bytes, copyBytes, func(w, off, n int) error {
			_, err := t.f.ReadAt(buffers[w][:n], int64(off))
			return err
		})
	})
}

// allocEach returns a buffer for each of n users, cut from one allocation.
func allocEach(n, bytes int) (buffers [][]byte, free func(), err error) {
	all, free, err := alloc(n * bytes)
	if err != nil {
		return nil, nil, err
	}
	for i := range n {
		buffers = append(buffers, all[i*bytes:(i+1)*bytes:(i+1)*bytes])
	}
	return buffers, free, nil
}

// folder returns the folder for temporary files: the path or the one that contains it, or the
// system's temporary folder for a block device, which lies among devices.
func (r *run) folder() (string, error) {
	info, err := os.Stat(r.path)
	if err != nil {
		return "", err
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return r.path, nil
	case mode.IsRegular():
		return filepath.Dir(r.path), nil
	}
	return os.TempDir(), nil
}

// temporary is a file of bytes that no file system compresses or deduplicates.
type temporary struct {
	f     *os.File
	bytes int
	kept  bool // the name still exists; close removes it
}

// temporary creates the file. If the system can keep a file without a name, its name is removed at
// once, so that the file disappears even if the process is killed.
func (r *run) temporary() (*temporary, error) {
	dir, err := r.folder()
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, ".thresh-limits-*")
	if err != nil {
		if f, err = os.CreateTemp("", "thresh-limits-*"); err != nil {
			return nil, err
		}
	}
	t := &temporary{f: f, kept: runtime.GOOS == "windows"}
	if !t.kept {
		if err := os.Remove(f.Name()); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	if err := t.fill(r.ctx, r.sizes); err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

// The first firstBytes of the temporary file are synced to the storage at once, to see how fast it
// is.
const firstBytes = 16 << 20

// fill writes the file in blocks of a megabyte. On slow storage, the file is as large as can be
// written in the time allowed.
func (t *temporary) fill(ctx context.Context, s sizes) error {
	block := make([]byte, min(1<<20, s.fileBytes))
	fillRandom(block)
	start := time.Now()
	for limit := s.fileBytes; t.bytes < limit; {
		if err := ctx.Err(); err != nil {
			return err
		}
		// A different word in every page defeats deduplication of equal pages.
		for i := 0; i+8 <= len(block); i += 4096 {
			putCounter(block[i:], uint64(t.bytes+i))
		}
		n, err := t.f.Write(block[:min(len(block), limit-t.bytes)])
		t.bytes += n
		if err != nil {
			return err
		}
		if t.bytes == firstBytes {
			if err := t.f.Sync(); err != nil {
				return err
			}
			part := float64(s.writeTime) / float64(time.Since(start))
			limit = min(limit, int(firstBytes*max(1, part)))
		}
	}
	return nil
}

func (t *temporary) close() error {
	err := t.f.Close()
	if t.kept {
		err = errors.Join(err, os.Remove(t.f.Name()))
	}
	return err
}
