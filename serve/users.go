package serve

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/bcrypt"
)

const (
	verifiedFor    = 5 * time.Minute
	verifiedMax    = 1024 // credentials remembered: a digest of 32 bytes and a time each
	waitingPerSlot = 16   // waiting checks per running one: a few seconds of work
)

type authResult int

const (
	denied authResult = iota
	allowed
	overloaded // too many passwords wait to be checked
)

// users checks names and passwords with bcrypt, which by design takes a tenth of a second. So at
// most one check runs per core, few may wait for one, and correct credentials are remembered for
// some minutes: as a digest under a key that only this process knows.
type users struct {
	hashes    map[string][]byte
	decoyHash []byte // the costliest hash, for unknown names: they take as long as known ones
	key       [32]byte
	slots     chan struct{}
	waiting   atomic.Int64
	checks    atomic.Int64

	mu       sync.Mutex
	verified map[[sha256.Size]byte]time.Time // to the end of their validity
}

func newUsers(hashes map[string]string) (*users, error) {
	if len(hashes) == 0 {
		return nil, nil
	}
	cores := runtime.GOMAXPROCS(0)
	u := &users{hashes: map[string][]byte{}, slots: make(chan struct{}, cores),
		verified: map[[sha256.Size]byte]time.Time{}}
	costMax := -1
	for _, name := range sortedNames(hashes) {
		hash := []byte(hashes[name])
		cost, err := bcrypt.Cost(hash)
		if err != nil {
			return nil, &OptionError{"Users", name, fmt.Sprintf("not a bcrypt hash, which begins with $2y$: %v; "+
				"make one with htpasswd -nbB NAME PASSWORD", err)}
		}
		if name == "" || strings.ContainsRune(name, ':') {
			return nil, &OptionError{"Users", name, "a name must not be empty or contain a colon"}
		}
		if cost > costMax {
			costMax, u.decoyHash = cost, hash
		}
		u.hashes[name] = hash
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

func (u *users) check(ctx context.Context, name, password string, given bool) authResult {
	if !given {
		return denied
	}
	mac := hmac.New(sha256.New, u.key[:])
	mac.Write([]byte(name + "\x00" + password)) // no user's name contains a NUL
	var sum [sha256.Size]byte
	mac.Sum(sum[:0])
	if u.remembered(sum) {
		return allowed
	}
	defer u.waiting.Add(-1)
	if u.waiting.Add(1) > int64(cap(u.slots)*(1+waitingPerSlot)) {
		return overloaded
	}
	select {
	case u.slots <- struct{}{}:
	case <-ctx.Done():
		return denied
	}
	defer func() { <-u.slots }()
	if u.remembered(sum) { // by another request of the same browser
		return allowed
	}
	u.checks.Add(1)
	hash, known := u.hashes[name]
	if !known {
		hash = u.decoyHash
	}
	if bcrypt.CompareHashAndPassword(hash, []byte(password)) != nil || !known {
		return denied
	}
	u.remember(sum)
	return allowed
}

func (u *users) remembered(sum [sha256.Size]byte) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	until, ok := u.verified[sum]
	if ok && time.Now().After(until) {
		delete(u.verified, sum)
		return false
	}
	return ok
}

func (u *users) remember(sum [sha256.Size]byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.verified) >= verifiedMax {
		clear(u.verified) // only correct passwords get here, so there are this many users
	}
	u.verified[sum] = time.Now().Add(verifiedFor)
}
