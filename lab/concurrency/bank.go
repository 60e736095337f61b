package concurrency

import (
	"context"
	"fmt"
	"sync"

	"github.com/thresh-dev/thresh/lab"
)

// bank is the post's bank with one mutex for all accounts: four transfers between two accounts, a
// goroutine each, which find enough money in any order. The post gives no times.
func bank() lab.Variant {
	return lab.Variant{
		ID: "go/bank", What: "four transfers under one mutex", Want: always("Alice=650, Bob=850"),
		Settings: []lab.Setting{{}},
		Run: func(ctx context.Context, _ lab.Task) (lab.Outcome, error) {
			answer := ""
			o, err := repeated(ctx, func() { answer = transferFour() })
			o.Answer = answer
			return o, err
		},
	}
}

// transferFour makes the transfers in a new bank, and returns the balances.
func transferFour() string {
	b := &lockedBank{balances: map[string]int{"Alice": 1000, "Bob": 500}}
	var wg sync.WaitGroup
	wg.Go(func() { b.transfer("Alice", "Bob", 200) })
	wg.Go(func() { b.transfer("Bob", "Alice", 100) })
	wg.Go(func() { b.transfer("Alice", "Bob", 300) })
	wg.Go(func() { b.transfer("Bob", "Alice", 50) })
	wg.Wait()
	return fmt.Sprintf("Alice=%d, Bob=%d", b.balance("Alice"), b.balance("Bob"))
}

// lockedBank has one mutex for all accounts.
type lockedBank struct {
	mutex    sync.Mutex
	balances map[string]int
}

func (b *lockedBank) transfer(from, to string, amount int) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.balances[from] >= amount {
		b.balances[from] -= amount
		b.balances[to] += amount
	}
}

func (b *lockedBank) balance(name string) int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.balances[name]
}
