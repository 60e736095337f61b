//go:build !race

package concurrency

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/thresh-dev/thresh/lab"
)

// race is the post's wrong program: two goroutines move ones between the ten elements of an array, and
// do not synchronise. The sum should stay 1,000 and became 15,810. The data race is the experiment: it is
// left out of builds with the race detector, which would rightly stop it.
//
// The post's goroutines add themselves to the wait group, so that waiting can be over before they begin.
// Ours are added before they start, and do a tenth of the post's 200 million steps.
func race() lab.Variant {
	v := raceVariant("go/race", "move ones in an array by two goroutines, without synchronisation", raceSum)
	v.Published = []lab.Published{{Setting: v.Settings[0], Text: "sum 15,810 instead of 1,000"}}
	return v
}

func raceSum(steps int) string {
	elements := [10]int{100, 100, 100, 100, 100, 100, 100, 100, 100, 100}
	move := func() {
		r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
		for range steps {
			if from := r.IntN(len(elements)); elements[from] > 0 {
				elements[from]--
				elements[r.IntN(len(elements))]++
			}
		}
	}
	var wg sync.WaitGroup
	wg.Go(move)
	wg.Go(move)
	wg.Wait()
	return strconv.Itoa(add(elements[:]))
}
