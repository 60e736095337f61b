package wall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/limits"
	"github.com/thresh-dev/thresh/internal/limits/cgroup"
	"github.com/thresh-dev/thresh/internal/source"
)

// Each of these tests builds a run that has one wall, and holds Name to it. They run for a
// second, because the split of processor time is sampled.
const (
	runTime   = 1100 * time.Millisecond
	fileBytes = 256 << 20
)

// workers leaves processors to whatever else the machine is doing.
var workers = max(1, runtime.NumCPU()/2)

// childVariable makes the test binary do what it names, instead of testing.
const childVariable = "THRESH_WALL_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childVariable) {
	case "":
		os.Exit(m.Run())
	case "quota":
		quotaChild()
	case "burn":
		burn(time.Now().Add(3*runTime), 2*runtime.NumCPU())
	}
}

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

// expect runs the work until it shows the wall, three times at most: other work on the
// machine may hide it. Where that took the processors each time, the test is skipped. An
// undecided verdict is settled by probes, if there are any, the way that callers of Name
// do it.
func expect(t *testing.T, want Wall, work func(until time.Time) (int64, error),
	probe func() (Probes, error)) {
	t.Helper()
	ceilings, err := ceilingsOnce()
	if err != nil {
		t.Fatal(err)
	}
	busy := 0
	var v Verdict
	for range 3 {
		c, err := measured(workers, work)
		if err != nil {
			t.Fatal(err)
		}
		if v = Name(c, Probes{}, ceilings); v.Undecided && probe != nil {
			t.Logf("before probes: %s", v.Sentence)
			p, err := probe()
			if err != nil {
				t.Fatal(err)
			}
			if v = Name(c, p, ceilings); v.Undecided {
				t.Error("undecided after probes")
			}
		}
		t.Logf("%s: %s\n%s", v.Wall, v.Sentence, strings.Join(v.Evidence, "\n"))
		if v.Wall == want {
			return
		}
		if v.Wall == Contention {
			busy++
		}
	}
	if busy == 3 {
		t.Skip("other programs take the processors")
	}
	t.Fatalf("wall %q, want %q", v.Wall, want)
}

// probeFile returns what probes the function on a file.
func probeFile(t *testing.T, f *os.File, function func([]byte)) func() (Probes, error) {
	t.Helper()
	in, err := source.Open(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return func() (Probes, error) {
		return Probe(t.Context(), function, in, Region{Len: fileBytes}, workers)
	}
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

// inWorkers runs work in all workers until the time is up and sums what they scanned.
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

// bigFile is a file with content, readable under its name while the test runs. The page
// cache holds it in units of the size that it is written with.
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

// mapAnonymous returns memory that begins on a page.
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

// sequentialReads has workers read pieces of the file in turn, and look at one byte each.
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
	expect(t, Storage, sequentialReads(t, direct, 256<<10, nothing), nil)
}

func TestRealStorageBuffered(t *testing.T) {
	realRun(t)
	f := bigFile(t, 1<<20)
	onStorage(t, f)
	drop := func() error { return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) }
	expect(t, Storage, sequentialReads(t, f, 256<<10, drop), nil)
}

func TestRealKernelCopy(t *testing.T) {
	realRun(t)
	expect(t, KernelCopy, sequentialReads(t, bigFile(t, 1<<20), 256<<10, nothing), nil)
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
	expect(t, PageFaults, func(until time.Time) (int64, error) {
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
	}, nil)
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
	look := func(b []byte) {
		or, err := touch(b)
		runtime.KeepAlive(or)
		if err != nil {
			t.Error(err)
		}
	}
	expect(t, Memory, func(until time.Time) (int64, error) {
		var next atomic.Int64
		return inWorkers(until, func(int) (int64, error) {
			const piece = 512 << 10
			at := (next.Add(piece) - piece) % fileBytes
			look(b[at:][:piece])
			return piece, nil
		})
	}, probeFile(t, bigFile(t, 1<<20), look))
}

// slowFunction takes about a nanosecond a byte: each step waits for the one before.
func slowFunction(b []byte) {
	sum := uint64(14695981039346656037)
	for _, c := range b {
		sum = (sum ^ uint64(c)) * 1099511628211
	}
	runtime.KeepAlive(sum)
}

func TestRealKernelFunction(t *testing.T) {
	realRun(t)
	f := bigFile(t, 1<<20)
	b, err := unix.Mmap(int(f.Fd()), 0, fileBytes, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	var next atomic.Int64
	expect(t, KernelFunction, func(until time.Time) (int64, error) {
		return inWorkers(until, func(int) (int64, error) {
			const piece = 128 << 10
			at := (next.Add(piece) - piece) % fileBytes
			slowFunction(b[at:][:piece])
			return piece, nil
		})
	}, probeFile(t, f, slowFunction))
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
	c.InputWait = waited
	if v := Name(c, Probes{}, ceilings); v.Wall != SlowInput {
		t.Errorf("wall %q, want %q: %s", v.Wall, SlowInput, v.Sentence)
	} else {
		t.Log(v.Sentence)
	}
}

// burn keeps processors busy from a number of threads.
func burn(until time.Time, threads int) {
	runtime.GOMAXPROCS(threads)
	var group sync.WaitGroup
	block := make([]byte, 64<<10)
	for range threads {
		group.Go(func() {
			for time.Now().Before(until) {
				slowFunction(block)
			}
		})
	}
	group.Wait()
}

// child starts the test binary to do what role names. It begins once its standard input
// is closed.
func child(t *testing.T, role string) (cmd *exec.Cmd, begin io.Closer, output *strings.Builder) {
	t.Helper()
	cmd = exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+role)
	cmd.Stderr = os.Stderr
	output = new(strings.Builder)
	cmd.Stdout = output
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, in, output
}

func TestRealContention(t *testing.T) {
	realRun(t)
	cmd, _, _ := child(t, "burn")
	defer func() {
		// The burner ends by itself; it need not be waited for once the run is over.
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Error(err)
		}
		cmd.Wait() // reports the kill
	}()
	c, err := measured(workers, func(until time.Time) (int64, error) {
		block := make([]byte, 64<<10)
		return inWorkers(until, func(int) (int64, error) {
			slowFunction(block)
			return int64(len(block)), nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	v := Name(c, Probes{}, nil)
	t.Logf("%s\n%s", v.Sentence, strings.Join(v.Evidence, "\n"))
	if v.Wall != Contention {
		t.Errorf("wall %q, want %q", v.Wall, Contention)
	}
}

// quotaChild waits until it was put into its group, burns, and prints its counters.
func quotaChild() {
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	c, err := measured(1, func(until time.Time) (int64, error) {
		block := make([]byte, 64<<10)
		scanned := int64(0)
		for time.Now().Before(until) {
			slowFunction(block)
			scanned += int64(len(block))
		}
		return scanned, nil
	})
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(c)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// quotaGroup makes a group below our own that may use a fifth of a processor.
func quotaGroup(t *testing.T) (dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("making a control group needs root")
	}
	own, err := cgroup.Find()
	if err != nil {
		t.Skipf("no control group: %v", err)
	}
	dir, err = os.MkdirTemp(own.Dir, "thresh-test-")
	if err != nil {
		t.Skipf("cannot make a control group: %v", err)
	}
	t.Cleanup(func() {
		if err := os.Remove(dir); err != nil {
			t.Error(err)
		}
	})
	limit := map[string]string{"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "20000"}
	if own.Version == 2 {
		limit = map[string]string{"cpu.max": "20000 100000"}
	}
	for name, value := range limit {
		if err := os.WriteFile(dir+"/"+name, []byte(value), 0); err != nil {
			t.Skipf("the control group takes no quota: %v", err)
		}
	}
	return dir
}

func TestRealQuota(t *testing.T) {
	realRun(t)
	dir := quotaGroup(t)
	cmd, begin, output := child(t, "quota")
	pid := strconv.Itoa(cmd.Process.Pid)
	err := os.WriteFile(dir+"/cgroup.procs", []byte(pid), 0)
	err = errors.Join(err, begin.Close(), cmd.Wait())
	if err != nil {
		t.Fatal(err)
	}
	var c Counters
	if err := json.Unmarshal([]byte(output.String()), &c); err != nil {
		t.Fatalf("%v: %q", err, output)
	}
	v := Name(c, Probes{}, nil)
	t.Logf("%s\n%s", v.Sentence, strings.Join(v.Evidence, "\n"))
	if v.Wall != Quota || v.Fraction == 0 || c.QuotaCPUs != 0.2 {
		t.Errorf("wall %q at %v of a quota of %v, want %q", v.Wall, v.Fraction, c.QuotaCPUs, Quota)
	}
}
