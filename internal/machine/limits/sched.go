package limits

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/internal/quantile"
)

// scheduler measures what coordination costs.
func (r *run) scheduler() error {
	if err := r.figure(&r.c.Hop, r.hop); err != nil {
		return err
	}
	if err := r.syscalls(); err != nil {
		return err
	}
	if r.workers < 2 {
		r.absent("needs at least two workers", &r.c.Wake, &r.c.Atomic, &r.c.Mutex)
		return nil
	}
	if err := r.figure(&r.c.Wake, r.wake); err != nil {
		return err
	}
	if err := r.figure(&r.c.Atomic, func() (float64, error) {
		var shared atomic.Int64
		return r.contend(func() { shared.Add(1) }), nil
	}); err != nil {
		return err
	}
	return r.figure(&r.c.Mutex, func() (float64, error) {
		var lock sync.Mutex
		shared := 0
		return r.contend(func() { lock.Lock(); shared++; lock.Unlock() }), nil
	})
}

// hop returns the nanoseconds per hand-over between two goroutines that wait for each other.
func (r *run) hop() (float64, error) {
	there, back := make(chan struct{}), make(chan struct{})
	go func() {
		for range there {
			back <- struct{}{}
		}
	}()
	start := time.Now()
	for range r.sizes.rounds {
		there <- struct{}{}
		<-back
	}
	took := time.Since(start)
	close(there)
	return perOp(took, 2*r.sizes.rounds), nil
}

// wakeRounds is the number of wake-ups in a sample. Before each, nothing happens for wakeIdle: long
// enough for the runtime to stop spinning and put the thread to sleep.
const (
	wakeRounds = 8
	wakeIdle   = 200 * time.Microsecond
)

// wake returns the median nanoseconds from sending to a parked goroutine until it runs. The sender
// keeps its own processor busy meanwhile, so another thread has to wake up. If no other processor
// is idle, the wake-up takes a time slice of the kernel; that is why wake returns the median, not
// the mean.
//
// The goroutine that became ready last is reserved for the sender's thread, and stolen from it only
// after a pause. So another one is made ready after it, as among the workers of a scan.
func (r *run) wake() (float64, error) {
	signal := make(chan time.Time)
	var ran atomic.Int64 // nanoseconds until the goroutine ran, 0 while it sleeps
	go func() {
		for sent := range signal {
			ran.Store(max(1, int64(time.Since(sent))))
		}
	}()
	defer close(signal)
	waits := make([]float64, wakeRounds)
	for i := range waits {
		ran.Store(0)
		time.Sleep(wakeIdle)
		if err := r.ctx.Err(); err != nil {
			return 0, err
		}
		signal <- time.Now()
		go func() {}()
		for ran.Load() == 0 {
		}
		waits[i] = float64(ran.Load())
	}
	return quantile.Median(waits), nil
}

// contend returns the nanoseconds per operation, as each worker sees it while all of them do it.
// They start together, once all of them run.
func (r *run) contend(op func()) float64 {
	ops := 40 * r.sizes.rounds // a few milliseconds: workers never start quite together
	line := startLine{workers: int64(r.workers)}
	var group sync.WaitGroup
	var sum atomic.Int64
	for range r.workers {
		group.Go(func() {
			line.wait()
			start := time.Now()
			for range ops {
				op()
			}
			sum.Add(int64(time.Since(start)))
		})
	}
	group.Wait()
	return float64(sum.Load()) / float64(r.workers*ops)
}

func perOp(took time.Duration, ops int) float64 {
	return float64(took.Nanoseconds()) / float64(ops)
}

// opens measures how many small files can be opened and closed per second.
func (r *run) opens() (err error) {
	absent := func(err error) error {
		for i := range r.c.Opens {
			r.absent(err.Error(), &r.c.Opens[i].Rate)
		}
		return r.ctx.Err()
	}
	dir, err := r.folder()
	if err != nil {
		return absent(err)
	}
	at, err := os.MkdirTemp(dir, ".thresh-limits-*")
	if err != nil {
		if at, err = os.MkdirTemp("", "thresh-limits-*"); err != nil {
			return absent(err)
		}
	}
	defer func() { err = errors.Join(err, os.RemoveAll(at)) }()
	names, err := smallFiles(r.ctx, at, r.sizes.openFiles)
	if err != nil {
		return absent(err)
	}
	for i := range r.c.Opens {
		o := &r.c.Opens[i]
		if err := r.figure(&o.Rate, func() (float64, error) {
			gbs, err := r.sweep(o.Workers, len(names), 1, func(_, i, _ int) error {
				f, err := os.Open(names[i])
				if err != nil {
					return err
				}
				return f.Close()
			})
			return gbs * 1e9, err // the sweep counts names, not bytes
		}); err != nil {
			return err
		}
	}
	return nil
}

func smallFiles(ctx context.Context, dir string, n int) (names []string, err error) {
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		name := filepath.Join(dir, fmt.Sprintf("%04d", i))
		if err := os.WriteFile(name, []byte(name), 0o600); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}
