package serve

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/bcrypt"
)

func hashOf(t *testing.T, password string, cost int) string {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), cost)
	if err != nil {
		t.Fatal(err)
	}
	return string(hash)
}

func TestUsers(t *testing.T) {
	hash := hashOf(t, "geheim", bcrypt.MinCost)
	r := start(t, func(o *Options) { o.Users = map[string]string{"alice": hash, "bob": hashOf(t, "x", bcrypt.MinCost)} })
	get := func(name, password string) *http.Response {
		t.Helper()
		q, err := http.NewRequest("GET", "http://"+r.addr+"/small.txt", nil)
		if err != nil {
			t.Fatal(err)
		}
		if name != "" {
			q.SetBasicAuth(name, password)
		}
		resp, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != 200 && strings.Contains(string(body), "small") {
			t.Errorf("%s with the file", resp.Status)
		}
		return resp
	}
	if resp := get("", ""); resp.StatusCode != 401 || !strings.HasPrefix(resp.Header.Get("WWW-Authenticate"), `Basic realm=`) {
		t.Errorf("without credentials: %s, %q", resp.Status, resp.Header.Get("WWW-Authenticate"))
	}
	for _, c := range []struct {
		name, password string
		status         int
		checks         int64 // so far
	}{
		{"alice", "geheim", 200, 1},
		{"alice", "geheim", 200, 1}, // remembered
		{"alice", "geheim2", 401, 2},
		{"alice", "geheim2", 401, 3}, // wrong ones are not remembered
		{"bob", "geheim", 401, 4},
		{"carol", "geheim", 401, 5}, // unknown names are checked, too
		{"carol", "x", 401, 6},
		{"alice", "", 401, 7},
	} {
		resp := get(c.name, c.password)
		if checks := r.users.checks.Load(); resp.StatusCode != c.status || checks != c.checks {
			t.Errorf("%s:%s: %s after %d checks", c.name, c.password, resp.Status, checks)
		}
	}
	if line := r.logged(2)[1]; line.user != "alice" {
		t.Errorf("logged %+v", line)
	}
}

// TestPasswordFlood: wrong passwords are rejected when too many wait, and correct ones that are
// remembered bypass the queue.
func TestPasswordFlood(t *testing.T) {
	u, err := newUsers(map[string]string{"alice": hashOf(t, "geheim", bcrypt.MinCost)})
	if err != nil {
		t.Fatal(err)
	}
	if v := u.check(t.Context(), "alice", "geheim", true); v != allowed {
		t.Fatalf("verdict %d", v)
	}
	for range cap(u.slots) {
		u.slots <- struct{}{} // all slots are in use
	}
	ctx, cancel := context.WithCancel(t.Context())
	const flood = 2000
	verdicts := make([]authResult, flood)
	var all sync.WaitGroup
	for i := range flood {
		all.Go(func() { verdicts[i] = u.check(ctx, "alice", fmt.Sprint(i), true) })
	}
	eventually(t, "the queue is full", func() bool {
		return u.waiting.Load() >= int64(cap(u.slots)*(1+waitingPerSlot))
	})
	if v := u.check(t.Context(), "alice", "geheim", true); v != allowed {
		t.Errorf("verdict %d for what is remembered", v)
	}
	cancel()
	all.Wait()
	n := map[authResult]int{}
	for _, v := range verdicts {
		n[v]++
	}
	if n[allowed] != 0 || n[overloaded] == 0 || n[overloaded]+n[denied] != flood {
		t.Errorf("verdicts %v", n)
	}
	if w := u.waiting.Load(); w != 0 {
		t.Errorf("%d wait for ever", w)
	}
}

func TestBadUsers(t *testing.T) {
	for _, users := range []map[string]string{
		{"alice": "geheim"}, {"alice": "$apr1$x$y"}, {"a:b": hashOf(t, "x", bcrypt.MinCost)}, {"": hashOf(t, "x", bcrypt.MinCost)},
	} {
		if _, err := New(t.TempDir(), Options{Users: users}); err == nil {
			t.Errorf("%v is taken", users)
		} else if strings.Contains(err.Error(), "geheim") {
			t.Errorf("the error contains the password: %v", err)
		}
	}
}

func TestVerifiedIsBounded(t *testing.T) {
	u, err := newUsers(map[string]string{"alice": hashOf(t, "x", bcrypt.MinCost)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 * verifiedMax {
		u.remember([32]byte{byte(i), byte(i >> 8)})
	}
	if n := len(u.verified); n == 0 || n > verifiedMax {
		t.Errorf("%d are remembered", n)
	}
}
