package concurrency

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// accounts is a bank with a mutex for each account. It also records which transfer holds and which
// waits for which account, so that a deadlock can be found instead of waited for.
type accounts struct {
	alice, bob account

	mu     sync.Mutex // protects what follows
	holder map[*account]*transfer
	waits  map[*transfer]*account
}

type account struct {
	name    string
	number  int
	mutex   sync.Mutex
	balance int
}

type transfer struct {
	from, to *account
	amount   int
}

func newAccounts() *accounts {
	return &accounts{
		alice:  account{name: "Alice", number: 1, balance: 1000},
		bob:    account{name: "Bob", number: 2, balance: 500},
		holder: map[*account]*transfer{}, waits: map[*transfer]*account{},
	}
}

// pause makes both transfers lock their first account before either locks its second.
const pause = 100 * time.Millisecond

// transfer locks both accounts, in this order, and moves the money.
func (b *accounts) transfer(t *transfer, first, second *account) {
	b.lock(t, first)
	time.Sleep(pause)
	b.lock(t, second)
	if t.from.balance >= t.amount {
		t.from.balance -= t.amount
		t.to.balance += t.amount
	}
	b.unlock(second)
	b.unlock(first)
}

// lock locks an account for a transfer. It is recorded as holder from after it locked until before it
// unlocks, so a recorded holder does hold it.
func (b *accounts) lock(t *transfer, a *account) {
	b.mu.Lock()
	b.waits[t] = a
	b.mu.Unlock()

	a.mutex.Lock()

	b.mu.Lock()
	delete(b.waits, t)
	b.holder[a] = t
	b.mu.Unlock()
}

func (b *accounts) unlock(a *account) {
	b.mu.Lock()
	delete(b.holder, a)
	b.mu.Unlock()
	a.mutex.Unlock()
}

// deadlock describes a circle of transfers each of which waits for an account that the next one holds,
// or returns "" if there is none. Nothing can end such a circle.
func (b *accounts) deadlock() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for begin := range b.waits {
		var steps []string
		for t := begin; t != nil && len(steps) <= len(b.waits); t = b.holder[b.waits[t]] {
			if len(steps) > 0 && t == begin {
				slices.Sort(steps)
				return "deadlock: " + strings.Join(steps, "; ")
			}
			if a := b.waits[t]; a != nil {
				steps = append(steps, fmt.Sprintf("%s to %s waits for %s", t.from.name, t.to.name, a.name))
			}
		}
	}
	return ""
}

// run makes two transfers at once, in opposite directions, and returns the balances, or a description
// of the deadlock they are in, with what stays locked. order says which account to lock first.
func (b *accounts) run(order func(t *transfer) (first, second *account)) (answer string, stuck bool) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	for _, t := range []*transfer{{&b.alice, &b.bob, 200}, {&b.bob, &b.alice, 100}} {
		first, second := order(t)
		wg.Go(func() { b.transfer(t, first, second) })
	}
	go func() { wg.Wait(); close(done) }()
	watch := time.NewTicker(pause / 20)
	defer watch.Stop()
	for {
		select {
		case <-done:
			return fmt.Sprintf("Alice=%d, Bob=%d", b.alice.balance, b.bob.balance), false
		case <-watch.C:
			if answer := b.deadlock(); answer != "" {
				return answer, true
			}
		}
	}
}
