package serve

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/bcrypt"
)

const (
	verifiedFor = 5 * time.Minute // since the last use
	wrongFor    = time.Minute
	resultsMax  = 1024 // credentials remembered, of either kind: a digest of 32 bytes and a time each
)

type authResult int

const (
	denied authResult = iota
	allowed
	overloaded // too many passwords wait to be checked
	paused     // the address has sent too many wrong ones
)

// users checks names and passwords with bcrypt, which by design takes a tenth of a second. So at
// most one check runs per core, and addresses take turns. Credentials are remembered for some
// minutes, as a digest under a key that only this process knows: correct ones, and wrong ones so
// that a client that repeats itself costs nothing.
//
// Every check takes the same time, whether the name is known or not: that of the costliest hash.
type users struct {
	hashes  map[string][]byte
	decoys  [][]byte // a hash of each cost up to the highest
	turns   *turns
	key     [32]byte
	checks  atomic.Int64
	rounds  atomic.Int64 // of bcrypt, in all checks
	results [2]results   // of wrong and of correct credentials
}

// results are digests of credentials, each to the end of its validity.
type results struct {
	mu    sync.Mutex
	until map[[sha256.Size]byte]time.Time
}

func newUsers(hashes map[string]string) (*users, error) {
	if len(hashes) == 0 {
		return nil, nil
	}
	u := &users{hashes: map[string][]byte{}, turns: newTurns(runtime.GOMAXPROCS(0))}
	for i := range u.results {
		u.results[i].until = map[[sha256.Size]byte]time.Time{}
	}
	costMax, costliest := -1, ""
	for _, name := range sortedNames(hashes) {
		hash := hashes[name]
		cost, err := bcrypt.Cost([]byte(hash))
		if err != nil {
			return nil, optionError("Users", name, fmt.Sprintf("not a bcrypt hash, which begins with $2y$: %v; "+
				"make one with htpasswd -nbB NAME PASSWORD", err))
		}
		if name == "" || strings.ContainsRune(name, ':') {
			return nil, optionError("Users", name, "a name must not be empty or contain a colon")
		}
		if cost > costMax {
			costMax, costliest = cost, hash
		}
		u.hashes[name] = []byte(hash)
	}
	for cost := range costMax + 1 {
		u.decoys = append(u.decoys, withCost(costliest, cost))
	}
	if _, err := rand.Read(u.key[:]); err != nil {
		return nil, err
	}
	return u, nil
}

func sortedNames(m map[string]string) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.SortFunc(names, cmp.Compare[string])
	return names
}

// withCost returns a bcrypt hash, $VERSION$COST$REST, with another cost. No password is known for it.
func withCost(hash string, cost int) []byte {
	parts := strings.SplitN(hash, "$", 4)
	return fmt.Appendf(nil, "$%s$%02d$%s", parts[1], cost, parts[3])
}

// check checks the credentials of a request from ip. If the result is paused, it also returns how
// long the address should wait.
func (u *users) check(ctx context.Context, ip netip.Addr, name, password string) (authResult, time.Duration) {
	mac := hmac.New(sha256.New, u.key[:])
	mac.Write([]byte(name + "\x00" + password)) // no user's name contains a NUL
	var sum [sha256.Size]byte
	mac.Sum(sum[:0])
	if r, known := u.remembered(sum); known {
		return r, 0
	}
	if r, pause := u.turns.take(ctx, ip); r != allowed {
		return r, pause
	}
	defer u.turns.done()
	if r, known := u.remembered(sum); known { // by another request of the same browser
		return r, 0
	}
	r := denied
	if u.compare(name, password) {
		r = allowed
	}
	u.turns.judge(ip, r == allowed)
	u.remember(sum, r)
	return r, 0
}

// compare reports whether the password is that of the user. bcrypt makes 2^cost rounds. A hash of
// lower cost than the highest is followed by decoys of all costs between: 2^c + (2^c + 2^(c+1) + ... +
// 2^(max-1)) = 2^max.
func (u *users) compare(name, password string) bool {
	u.checks.Add(1)
	costMax := len(u.decoys) - 1
	hash, known := u.hashes[name]
	if !known {
		hash = u.decoys[costMax]
	}
	same := bcrypt.CompareHashAndPassword(hash, []byte(password)) == nil
	cost, err := bcrypt.Cost(hash) // newUsers has seen every hash
	if err != nil {
		return false
	}
	u.rounds.Add(1 << cost)
	for ; cost < costMax; cost++ {
		// The result is known already; only the time counts.
		_ = bcrypt.CompareHashAndPassword(u.decoys[cost], []byte(password))
		u.rounds.Add(1 << cost)
	}
	return same && known
}

func (u *users) remembered(sum [sha256.Size]byte) (r authResult, known bool) {
	if u.results[allowed].has(sum, verifiedFor) {
		return allowed, true
	}
	return denied, u.results[denied].has(sum, 0)
}

func (u *users) remember(sum [sha256.Size]byte, r authResult) {
	valid := wrongFor
	if r == allowed {
		valid = verifiedFor
	}
	u.results[r].add(sum, valid)
}

// has reports whether sum is remembered, and extends its validity. A user who is active is not
// checked again.
func (m *results) has(sum [sha256.Size]byte, extend time.Duration) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	until, ok := m.until[sum]
	switch {
	case !ok:
	case now.After(until):
		delete(m.until, sum)
		ok = false
	case until.Sub(now) < extend/2:
		m.until[sum] = now.Add(extend)
	}
	return ok
}

func (m *results) add(sum [sha256.Size]byte, valid time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.until) >= resultsMax {
		clear(m.until) // the correct ones are as many as there are users; wrong ones matter little
	}
	m.until[sum] = time.Now().Add(valid)
}
