package concurrency

import (
	"context"
	"time"

	"github.com/thresh-dev/thresh/lab"
)

// bankDeadlock is the post's bank that hangs: with a mutex for each account, two transfers in opposite
// directions each lock their source and wait for their destination for ever. A watchdog finds the
// circle, and the time is that until it was found. The goroutines stay until the process ends.
func bankDeadlock() lab.Variant {
	return lab.Variant{
		ID: "go/bank-deadlock", What: "a mutex an account, source first: deadlocks, which a watchdog finds",
		Want:      always("deadlock: Alice to Bob waits for Bob; Bob to Alice waits for Alice"),
		Settings:  []lab.Setting{{}},
		Published: []lab.Published{{Text: "never ends"}},
		Run: func(ctx context.Context, _ lab.Task) (o lab.Outcome, err error) {
			// On a machine that stalls, one transfer can end before the other begins: then try again.
			for stuck := false; !stuck && o.Items < 20; {
				if err := ctx.Err(); err != nil {
					return o, err
				}
				begin := time.Now()
				o.Answer, stuck = newAccounts().run(func(t *transfer) (first, second *account) { return t.from, t.to })
				o.Seconds += time.Since(begin).Seconds()
				o.Items++
			}
			return o, nil
		},
	}
}
