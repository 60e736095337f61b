package concurrency

import (
	"context"
	"strconv"
	"time"

	"github.com/thresh-dev/thresh/lab"
)

// relay is the post's chain of 10,000 goroutines: each receives a value from the channel before it and
// sends it to the one behind it. The value arrives after 14 ms, 1.4 microseconds a hop. That includes
// starting the goroutines, but not making the channels.
func relay() lab.Variant {
	const hops = 10_000
	chain := lab.Setting{N: hops}
	return lab.Variant{
		ID: "go/relay", What: "one value through 10,000 goroutines", Want: always(strconv.Itoa(relayed)),
		Settings:  []lab.Setting{chain},
		Published: []lab.Published{{Value: 13.987416, Setting: chain, Text: "1.4 µs a hop"}},
		Run: func(_ context.Context, t lab.Task) (lab.Outcome, error) {
			channels := make([]chan int, t.Setting.N+1)
			for i := range channels {
				channels[i] = make(chan int)
			}
			begin := time.Now()
			for i := range t.Setting.N {
				go hop(channels[i], channels[i+1])
			}
			go func() { channels[0] <- relayed }()
			value := <-channels[t.Setting.N]
			seconds := time.Since(begin).Seconds()
			return lab.Outcome{Seconds: seconds, Items: 1, Answer: strconv.Itoa(value),
				Extra: map[string]float64{"microseconds_per_hop": seconds * 1e6 / float64(t.Setting.N)}}, nil
		},
	}
}

const relayed = 42

func hop(in <-chan int, out chan<- int) { out <- <-in }
