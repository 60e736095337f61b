package concurrency

import (
	"context"
	"time"

	"github.com/thresh-dev/thresh/lab"
)

// bankOrdered is the post's way out: the account with the lesser number is locked first, whichever way
// the money goes. So one transfer waits for the other, and there is no circle.
func bankOrdered() lab.Variant {
	return lab.Variant{
		ID: "go/bank-ordered", What: "a mutex an account, lesser number first",
		Want:     always("Alice=900, Bob=600"),
		Settings: []lab.Setting{{}},
		Run: func(context.Context, lab.Task) (lab.Outcome, error) {
			begin := time.Now()
			answer, _ := newAccounts().run(lesserFirst)
			return lab.Outcome{Seconds: time.Since(begin).Seconds(), Items: 1, Answer: answer}, nil
		},
	}
}

func lesserFirst(t *transfer) (first, second *account) {
	if t.from.number < t.to.number {
		return t.from, t.to
	}
	return t.to, t.from
}
