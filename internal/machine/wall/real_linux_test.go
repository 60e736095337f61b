package wall

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/receipt"
)

// Each of these tests builds a run that has one wall, and checks that Name finds it. They run for a
// second, because the split of processor time is sampled.
const (
	runTime   = 1100 * time.Millisecond
	fileBytes = 256 << 20
)

// workers leaves some processors to other programs on the machine.
var workers = max(1, runtime.NumCPU()/2)

// measured returns the counters of a run of work, which returns the bytes it scanned.
func measured(workers int, work func(until time.Time) (int64, error)) (Counters, error) {
	before, err := Take()
	if err != nil {
		return Counters{}, err
	}
	scanned, err := work(time.Now().Add(runTime))
	if err != nil {
		return Counters{}, err
	}
	after, err := Take()
	if err != nil {
		return Counters{}, err
	}
	c := after.Sub(before)
	c.Workers, c.Scanned = workers, scanned
	return c, nil
}

var ceilingsOnce = sync.OnceValues(func() (*limits.Ceilings, error) {
	return limits.Measure(context.Background(), limits.Options{Path: os.TempDir()})
})

// expect runs the work until the wall is its largest part and most of the time that others left, at most three times:
// other work on the machine may hide it. If other programs took the processors each time, or storage hardly made the
// workers wait, as that of a virtual machine whose host has the file in memory, the test is skipped.
func expect(t *testing.T, want receipt.Wall, function func([]byte), work func(until time.Time) (int64, error)) {
	t.Helper()
	ceilings, err := ceilingsOnce()
	if err != nil {
		t.Fatal(err)
	}
	excused := 0
	var r receipt.Receipt
	for range 3 {
		c, err := measured(workers, work)
		if err != nil {
			t.Fatal(err)
		}
		p := Probes{Cached: cachedRate(function)}
		r = receipt.Receipt{}
		Divide(&r, c, p, ceilings)
		t.Logf("%s\n%s", r.Verdict, strings.Join(r.Evidence, "\n"))
		shares := map[receipt.Wall]float64{}
		for _, p := range r.Parts {
			shares[p.Wall] = p.Share
		}
		others := shares[receipt.OtherPrograms] + shares[receipt.Host]
		if shares[want] >= 0.6*(1-others) && others < 0.5 {
			return
		}
		if others >= 0.3 || want == receipt.Storage && newRun(c, p, ceilings).user > 0.2 {
			excused++
		}
	}
	if excused == 3 {
		t.Skip("other programs took the processors each time, or storage was too fast to be a wall")
	}
	t.Fatalf("%s, want %q", r.Verdict, want)
}

// cachedRate returns how fast a function is on bytes in the cache, in GB/s. One that only looks at a few bytes takes no
// time.
func cachedRate(function func([]byte)) float64 {
	if function == nil {
		return 1e6
	}
	b, began, n := make([]byte, 64<<10), time.Now(), int64(0)
	for time.Since(began) < 20*time.Millisecond {
		function(b)
		n += int64(len(b))
	}
	return perSecond(n, time.Since(began))
}

func realRun(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if raceEnabled {
		t.Skip("the race detector makes every function slow")
	}
}

// inWorkers runs work in all workers until the time is up and adds up what they scanned.
func inWorkers(until time.Time, work func(worker int) (int64, error)) (int64, error) {
	var scanned atomic.Int64
	var group sync.WaitGroup
	errs := make([]error, workers)
	for w := range workers {
		group.Go(func() {
			for errs[w] == nil && time.Now().Before(until) {
				var n int64
				n, errs[w] = work(w)
				scanned.Add(n)
			}
		})
	}
	group.Wait()
	return scanned.Load(), errors.Join(errs...)
}

// bigFile is a file with content, readable under its name while the test runs. The page cache holds
// it in units of the size with which it is written.
func bigFile(t *testing.T, writeBytes int) *os.File {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "big")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	block := make([]byte, writeBytes)
	for i := range block {
		block[i] = byte(i * i >> 3)
	}
	for range fileBytes / len(block) {
		if _, err := f.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	return f
}

func onStorage(t *testing.T, f *os.File) {
	t.Helper()
	var fs unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &fs); err != nil {
		t.Fatal(err)
	}
	if fs.Type == unix.TMPFS_MAGIC {
		t.Skip("the temporary folder is in memory")
	}
}

// mapAnonymous returns memory that begins at a page.
func mapAnonymous(t *testing.T, n int) []byte {
	t.Helper()
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(b); err != nil {
			t.Error(err)
		}
	})
	return b
}

// sequentialReads lets workers read pieces of the file in turn, and look at one byte of each.
func sequentialReads(t *testing.T, f *os.File, pieceBytes int,
	again func() error) func(until time.Time) (int64, error) {
	buffers := make([][]byte, workers)
	for w := range buffers {
		buffers[w] = mapAnonymous(t, pieceBytes)
	}
	var next atomic.Int64
	return func(until time.Time) (int64, error) {
		return inWorkers(until, func(w int) (int64, error) {
			off := (next.Add(int64(pieceBytes)) - int64(pieceBytes)) % fileBytes
			if off == 0 {
				if err := again(); err != nil {
					return 0, err
				}
			}
			n, err := f.ReadAt(buffers[w], off)
			runtime.KeepAlive(buffers[w][0])
			return int64(n), err
		})
	}
}

func nothing() error { return nil }

func TestRealStorageDirect(t *testing.T) {
	realRun(t)
	f := bigFile(t, 1<<20)
	onStorage(t, f)
	direct, err := os.OpenFile(f.Name(), os.O_RDONLY|unix.O_DIRECT, 0)
	if err != nil {
		t.Skipf("no direct reads here: %v", err)
	}
	t.Cleanup(func() { direct.Close() })
	expect(t, receipt.Storage, nil, sequentialReads(t, direct, 256<<10, nothing))
}

func TestRealStorageBuffered(t *testing.T) {
	realRun(t)
	f := bigFile(t, 1<<20)
	onStorage(t, f)
	drop := func() error { return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) }
	expect(t, receipt.Storage, nil, sequentialReads(t, f, 256<<10, drop))
}

func TestRealKernelCopy(t *testing.T) {
	realRun(t)
	expect(t, receipt.Copying, nil, sequentialReads(t, bigFile(t, 1<<20), 256<<10, nothing))
}

func TestRealPageFaults(t *testing.T) {
	realRun(t)
	// Small writes leave small pages, of which the kernel maps 64 KiB around a fault.
	f := bigFile(t, 4<<10)
	b, err := unix.Mmap(int(f.Fd()), 0, fileBytes, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	expect(t, receipt.PageFaults, nil, func(until time.Time) (int64, error) {
		return inWorkers(until, func(w int) (int64, error) {
			size := fileBytes / workers &^ (64<<10 - 1)
			part := b[w*size:][:size]
			sum := byte(0)
			for i := 0; i < len(part); i += 64 << 10 {
				sum |= part[i]
			}
			runtime.KeepAlive(sum)
			return int64(len(part)), unix.Madvise(part, unix.MADV_DONTNEED)
		})
	})
}

func TestRealMemory(t *testing.T) {
	realRun(t)
	b := mapAnonymous(t, fileBytes)
	if err := unix.Madvise(b, unix.MADV_HUGEPAGE); err != nil {
		t.Skipf("no huge pages: %v", err)
	}
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	// One access for each cache line moves every byte out of memory, and costs the processor next to nothing.
	look := func(b []byte) {
		or := byte(0)
		for i := 0; i < len(b); i += 64 {
			or |= b[i]
		}
		runtime.KeepAlive(or)
	}
	expect(t, receipt.Memory, look, func(until time.Time) (int64, error) {
		var next atomic.Int64
		return inWorkers(until, func(int) (int64, error) {
			const piece = 512 << 10
			at := (next.Add(piece) - piece) % fileBytes
			look(b[at:][:piece])
			return piece, nil
		})
	})
}

// slowFunction takes about a nanosecond per byte: each step waits for the one before.
func slowFunction(b []byte) {
	sum := uint64(14695981039346656037)
	for _, c := range b {
		sum = (sum ^ uint64(c)) * 1099511628211
	}
	runtime.KeepAlive(sum)
}

func TestRealWork(t *testing.T) {
	realRun(t)
	f := bigFile(t, 1<<20)
	b, err := unix.Mmap(int(f.Fd()), 0, fileBytes, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	var next atomic.Int64
	expect(t, receipt.Work, slowFunction, func(until time.Time) (int64, error) {
		return inWorkers(until, func(int) (int64, error) {
			const piece = 128 << 10
			at := (next.Add(piece) - piece) % fileBytes
			slowFunction(b[at:][:piece])
			return piece, nil
		})
	})
}

func TestRealSlowInput(t *testing.T) {
	realRun(t)
	ceilings, err := ceilingsOnce()
	if err != nil {
		t.Fatal(err)
	}
	var waited time.Duration
	c, err := measured(1, func(until time.Time) (int64, error) {
		r, w, err := os.Pipe()
		if err != nil {
			return 0, err
		}
		defer r.Close()
		wrote := make(chan error, 1)
		go func() {
			block := make([]byte, 32<<10)
			for time.Now().Before(until) {
				if _, err := w.Write(block); err != nil {
					wrote <- errors.Join(err, w.Close())
					return
				}
				time.Sleep(5 * time.Millisecond)
			}
			wrote <- w.Close()
		}()
		var scanned int64
		buffer := make([]byte, 64<<10)
		for {
			start := time.Now()
			n, err := r.Read(buffer)
			waited += time.Since(start)
			scanned += int64(n)
			if err == io.EOF {
				return scanned, <-wrote
			}
			if err != nil {
				return scanned, err
			}
			slowFunction(buffer[:n])
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	c.Piped, c.InputWait = true, waited
	var r receipt.Receipt
	Divide(&r, c, Probes{}, ceilings)
	t.Log(r.Verdict)
	if r.Parts[0].Wall != receipt.Input {
		t.Errorf("%s, want its input", r.Verdict)
	}
}
