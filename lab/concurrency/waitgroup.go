package concurrency

import (
	"context"
	"strconv"
	"sync"

	"github.com/thresh-dev/thresh/lab"
)

// waitGroup waits for goroutines with a sync.WaitGroup, which the post finds simpler for many of them.
// It gives no times.
func waitGroup() lab.Variant {
	return lab.Variant{
		ID: "go/waitgroup", What: "wait for goroutines with a WaitGroup", Want: counted("are done"),
		Settings: oneAndMany,
		Run: waiting(func(n int, work func(i int)) {
			var wg sync.WaitGroup
			for i := range n {
				wg.Add(1)
				go func() {
					defer wg.Done()
					work(i)
				}()
			}
			wg.Wait()
		}),
	}
}

// oneAndMany is how many goroutines are waited for.
var oneAndMany = []lab.Setting{{N: 1}, {N: 1000}}

// waiting returns a Run that times wait. wait starts n goroutines, each of which calls work with a number of
// its own from 0 on, and returns when all of them are done.
func waiting(wait func(n int, work func(i int))) func(context.Context, lab.Task) (lab.Outcome, error) {
	return func(ctx context.Context, t lab.Task) (lab.Outcome, error) {
		calls, early := make([]int, t.Setting.N), false
		times := 0
		o, err := repeated(ctx, func() {
			times++
			wait(len(calls), func(i int) { calls[i]++ })
			early = early || calls[len(calls)-1] != times
		})
		done := 0
		for _, n := range calls {
			if n == times {
				done++
			}
		}
		o.Answer = strconv.Itoa(done) + " are done"
		if early {
			o.Answer = "it did not wait"
		}
		return o, err
	}
}

// waitGroupChannel waits for goroutines by receiving from a channel to which each sends when it is done.
// The post finds that simpler for one goroutine.
func waitGroupChannel() lab.Variant {
	return lab.Variant{
		ID: "go/waitgroup-channel", What: "wait for goroutines with a channel", Want: counted("are done"),
		Settings: oneAndMany,
		Run: waiting(func(n int, work func(i int)) {
			done := make(chan bool)
			for i := range n {
				go func() {
					work(i)
					done <- true
				}()
			}
			for range n {
				<-done
			}
		}),
	}
}
