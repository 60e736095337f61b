package serve

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

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
		{"alice", "geheim2", 401, 2}, // wrong ones, too, for a while
		{"bob", "geheim", 401, 3},
		{"carol", "geheim", 401, 4}, // unknown names are checked, too
		{"carol", "x", 401, 5},
		{"alice", "", 401, 6},
	} {
		resp := get(c.name, c.password)
		if checks := r.users.checks.Load(); resp.StatusCode != c.status || checks != c.checks {
			t.Errorf("%s:%s: %s after %d checks", c.name, c.password, resp.Status, checks)
		}
	}
	if line := r.logged(2)[1]; line.user != "alice" {
		t.Errorf("logged %+v", line)
	}
	r.logged(9)
	r.counts("thresh_serve_passwords_denied_total", 6) // the first request had none
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

// TestRepeatedWrongPassword: only the first of many equal wrong requests is checked.
func TestRepeatedWrongPassword(t *testing.T) {
	u := usersOf(t, bcrypt.MinCost, bcrypt.MinCost)
	for range 50 {
		if r, _ := u.check(t.Context(), netip.Addr{}, "user0", "wrong"); r != denied {
			t.Fatalf("result %d", r)
		}
	}
	if n := u.checks.Load(); n != 1 {
		t.Errorf("%d checks", n)
	}
	if f := u.turns.lines[netip.Addr{}].failures; f != 0 {
		t.Errorf("%d failures of clients without an address", f)
	}
}

// usersOf returns user0, user1 and so on with the password "right" and hashes of these costs.
func usersOf(t *testing.T, costs ...int) *users {
	t.Helper()
	hashes := map[string]string{}
	for i, cost := range costs {
		hashes[fmt.Sprintf("user%d", i)] = hashOf(t, "right", cost)
	}
	u, err := newUsers(hashes)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestEqualWork: a check makes as many rounds for a name that is known as for one that is not, with
// a correct password as with a wrong one.
func TestEqualWork(t *testing.T) {
	u := usersOf(t, 4, 6, 7)
	for _, name := range []string{"user0", "user1", "user2", "nobody", ""} {
		for _, password := range []string{"right", "wrong", "", strings.Repeat("long", 50)} {
			before := u.rounds.Load()
			same := u.compare(name, password)
			if want := strings.HasPrefix(name, "user") && password == "right"; same != want {
				t.Errorf("%s:%s: %v", name, password, same)
			}
			if n := u.rounds.Load() - before; n != 1<<7 {
				t.Errorf("%s:%s: %d rounds, want %d", name, password, n, 1<<7)
			}
		}
	}
	for cost, decoy := range u.decoys {
		if got, err := bcrypt.Cost(decoy); cost >= bcrypt.MinCost && (err != nil || got != cost) {
			t.Errorf("decoy %q: cost %d, %v", decoy, got, err)
		}
	}
}

// TestResultsAreBounded also checks that wrong credentials do not displace correct ones.
func TestResultsAreBounded(t *testing.T) {
	u := usersOf(t, bcrypt.MinCost)
	if r, _ := u.check(t.Context(), netip.Addr{}, "user0", "right"); r != allowed {
		t.Fatalf("result %d", r)
	}
	for i := range 3 * resultsMax {
		u.remember([32]byte{byte(i), byte(i >> 8)}, denied)
	}
	if n := len(u.results[denied].until); n == 0 || n > resultsMax {
		t.Errorf("%d are remembered", n)
	}
	if r, _ := u.check(t.Context(), netip.Addr{}, "user0", "right"); r != allowed || u.checks.Load() != 1 {
		t.Errorf("result %d after %d checks", r, u.checks.Load())
	}
}

// TestResultsEnd: what is used stays, what is not used ends.
func TestResultsEnd(t *testing.T) {
	m := results{until: map[[32]byte]time.Time{}}
	m.add([32]byte{1}, time.Hour)
	m.add([32]byte{2}, time.Minute)
	m.add([32]byte{3}, -time.Second)
	if !m.has([32]byte{1}, time.Hour) || !m.has([32]byte{2}, time.Hour) || m.has([32]byte{3}, time.Hour) {
		t.Error("the wrong ones are remembered")
	}
	if left := time.Until(m.until[[32]byte{2}]); left < 30*time.Minute {
		t.Errorf("valid for %v after its use", left)
	}
	if len(m.until) != 2 {
		t.Errorf("%d are kept", len(m.until))
	}
}
