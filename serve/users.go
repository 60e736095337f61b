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
	verifiedMax    = 1024 // credentials kept: 32 bytes of a digest and a time each
	waitingPerSlot = 16   // that wait for each check under way: a few seconds of work
)

type authResult int

const (
	denied authResult = iota
	allowed
	overloaded // too many passwords wait to be checked
)

// users checks names and passwords by bcrypt, which takes a tenth of a second by design.
// So no more checks run than there are cores, few wait for one, and what was right once is
// remembered for minutes: as a digest under a key that only this process has.
type users struct {
	hashes    map[string][]byte
	decoyHash []byte // the costliest hash: unknown names take as long as known ones
	key       [32]byte
	slots     chan struct{}
	waiting   atomic.Int64
	checks    atomic.Int64

	mu       sync.Mutex
	verified map[[sha256.Size]byte]time.Time // until when
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
			return nil, fmt.Errorf("user %q: no bcrypt hash, which begins with $2y$: %w; "+
				"make one by htpasswd -nbB NAME PASSWORD", name, err)
		}
		if name == "" || strings.ContainsRune(name, ':') {
			return nil, fmt.Errorf("user %q: a name is not empty and holds no colon", name)
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
	mac.Write([]byte(name + "\x00" + password)) // a name of hashes holds no such byte, or fails
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
	if u.remembered(sum) { // by a request of the same browser that was here first
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
		clear(u.verified) // only right passwords get here: there are that many users
	}
	u.verified[sum] = time.Now().Add(verifiedFor)
}
