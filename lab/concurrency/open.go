package concurrency

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/thresh-dev/thresh/internal/quantile"
	"github.com/thresh-dev/thresh/lab"
)

// open is the post's first way to open and close 10,000 empty files: each thread gets an equal part of
// them. On a Linux server with 64 cores, 1, 2, 4, 8 and 16 threads took 34, 25, 31, 36 and 42 ms: two
// were best. The post's program is C++: our goroutines are bound to threads of the system, and Go may
// use as many processors as there are threads, so that the kernel sees them all. They are started
// within the time, as there.
func open() lab.Variant {
	return openVariant("go/open", "open 10,000 files, an equal part for each thread", []float64{34, 25, 31, 36, 42},
		func(threads int, paths []string) func() (int, error) {
			return func() (int, error) {
				return inThreads(threads, func(i int) (int, error) {
					return openAll(paths[i*len(paths)/threads : (i+1)*len(paths)/threads])
				})
			}
		})
}

const files = 10_000

// openVariant returns a variant. prepare is not timed; what it returns is, and counts the files.
func openVariant(id, what string, published []float64,
	prepare func(threads int, paths []string) func() (int, error)) lab.Variant {
	v := lab.Variant{
		ID: id, What: what, Want: counted("files opened"),
		Run: func(ctx context.Context, t lab.Task) (lab.Outcome, error) {
			paths, err := makeFiles(filepath.Join(t.Kept, "files"), t.Setting.N)
			if err != nil {
				return lab.Outcome{}, err
			}
			threads := workers(t.Setting)
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(threads+1, runtime.GOMAXPROCS(0))))
			opened, seconds, err := medianSeconds(ctx, func() func() (int, error) { return prepare(threads, paths) })
			if err != nil {
				return lab.Outcome{}, fmt.Errorf("%s: %w", id, err)
			}
			return lab.Outcome{Seconds: seconds * rounds, Items: rounds, Answer: strconv.Itoa(opened) + " files opened",
				Extra: map[string]float64{"files_per_second": float64(len(paths)) / seconds}}, nil
		},
	}
	for i, threads := range []int{1, 2, 4, 8, 16} {
		s := lab.Setting{Workers: threads, N: files}
		v.Settings = append(v.Settings, s)
		if i < len(published) {
			v.Published = append(v.Published, lab.Published{Value: published[i], Setting: s})
		}
	}
	return v
}

// rounds is how often the post opens all files, to take the median.
const rounds = 10

// medianSeconds returns the median time of what prepare returns, and how many files the last round opened.
func medianSeconds(ctx context.Context, prepare func() func() (int, error)) (opened int, seconds float64, err error) {
	var took [rounds]float64
	for i := range took {
		all := prepare()
		begin := time.Now()
		opened, err = all()
		took[i] = time.Since(begin).Seconds()
		if err := errors.Join(err, ctx.Err()); err != nil {
			return 0, 0, err
		}
	}
	return opened, quantile.Median(took[:]), nil
}

// makeFiles makes n empty files, unless an earlier run has: they are only opened, and each run's ten rounds
// find them in the kernel's caches in both cases. The last one is made last: if it is there, all are.
func makeFiles(folder string, n int) (paths []string, err error) {
	for i := range n {
		paths = append(paths, filepath.Join(folder, strconv.Itoa(i)))
	}
	switch _, err := os.Stat(paths[n-1]); {
	case err == nil:
		return paths, nil
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	for _, path := range paths {
		f, err := os.Create(path)
		if err != nil {
			return nil, err
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// inThreads calls work at once in so many threads, with a number from 0 on, and adds up how many files
// they opened.
func inThreads(threads int, work func(i int) (int, error)) (opened int, err error) {
	counts, errs := make([]int, threads), make([]error, threads)
	var wg sync.WaitGroup
	for i := range threads {
		wg.Go(func() {
			runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
			counts[i], errs[i] = work(i)
		})
	}
	wg.Wait()
	return add(counts), errors.Join(errs...)
}

// openAll opens and closes files by bare system calls: os.Open would add a poller and a finaliser.
func openAll(paths []string) (opened int, err error) {
	for _, path := range paths {
		f, err := syscall.Open(path, syscall.O_RDONLY, 0)
		if err != nil {
			return opened, &os.PathError{Op: "open", Path: path, Err: err}
		}
		if err := syscall.Close(f); err != nil {
			return opened, &os.PathError{Op: "close", Path: path, Err: err}
		}
		opened++
	}
	return opened, nil
}

// openBatches is what the post recommends for small tasks, without a time: several files a task.
func openBatches() lab.Variant {
	const filesPerTask = 100
	return openVariant("go/open-batches", "open 10,000 files, a hundred a task of a thread pool", nil,
		pooled(filesPerTask))
}

// openPool is the post's second way: a pool of threads, started before the time, which take one file at
// a time from a queue. 1, 2, 4, 8 and 16 threads took 55, 36, 27, 16 and 27 ms on the server.
func openPool() lab.Variant {
	return openVariant("go/open-pool", "open 10,000 files, one a task of a thread pool", []float64{55, 36, 27, 16, 27},
		pooled(1))
}

// pooled returns what starts a pool, and what gives it all files, so many a task, and waits for it.
func pooled(filesPerTask int) func(threads int, paths []string) func() (int, error) {
	return func(threads int, paths []string) func() (int, error) {
		tasks := make(chan []string, len(paths))
		var opened int
		var err error
		var ready, ended sync.WaitGroup
		ready.Add(threads)
		ended.Go(func() {
			opened, err = inThreads(threads, func(int) (opened int, err error) {
				ready.Done()
				for task := range tasks {
					n, e := openAll(task)
					opened, err = opened+n, errors.Join(err, e)
				}
				return opened, err
			})
		})
		ready.Wait()
		return func() (int, error) {
			for len(paths) > 0 {
				n := min(filesPerTask, len(paths))
				tasks <- paths[:n]
				paths = paths[n:]
			}
			close(tasks)
			ended.Wait()
			return opened, err
		}
	}
}
