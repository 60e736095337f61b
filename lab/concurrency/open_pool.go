package concurrency

import (
	"errors"
	"sync"

	"github.com/thresh-dev/thresh/lab"
)

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
