package concurrency

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/lab"
)

// raceAtomic is the post's remedy: an element is decremented by compare-and-swap, unless it is 0 or
// another goroutine was faster, and another is incremented atomically. The sum stays 1,000.
func raceAtomic() lab.Variant {
	v := raceVariant("go/race-atomic", "the same with compare-and-swap and atomic addition", atomicSum)
	v.Want = always(strconv.Itoa(raceTotal))
	v.Published = []lab.Published{{Setting: v.Settings[0], Text: "sum 1,000"}}
	return v
}

// raceTotal is the sum of the elements, and raceSteps how often each goroutine tries to move a one.
const (
	raceTotal = 1000
	raceSteps = 20_000_000
)

// raceVariant returns a variant whose answer is the sum at the end.
func raceVariant(id, what string, sum func(steps int) string) lab.Variant {
	return lab.Variant{
		ID: id, What: what,
		Settings: []lab.Setting{{N: raceSteps}},
		Run: func(_ context.Context, t lab.Task) (lab.Outcome, error) {
			begin := time.Now()
			answer := sum(t.Setting.N)
			return lab.Outcome{Seconds: time.Since(begin).Seconds(), Items: 1, Answer: answer}, nil
		},
	}
}

func atomicSum(steps int) string {
	elements := [10]int32{100, 100, 100, 100, 100, 100, 100, 100, 100, 100}
	move := func() {
		r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
		for range steps {
			from := &elements[r.IntN(len(elements))]
			value := atomic.LoadInt32(from)
			if value > 0 && atomic.CompareAndSwapInt32(from, value, value-1) {
				atomic.AddInt32(&elements[r.IntN(len(elements))], 1)
			}
		}
	}
	var wg sync.WaitGroup
	wg.Go(move)
	wg.Go(move)
	wg.Wait()
	total := 0
	for _, n := range elements {
		total += int(n)
	}
	return strconv.Itoa(total)
}
