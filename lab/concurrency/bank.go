package concurrency

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

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
