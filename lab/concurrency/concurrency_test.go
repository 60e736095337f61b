package concurrency

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
)

// smaller returns a setting that takes a test no time.
func smaller(s lab.Setting) lab.Setting {
	s.N = min(s.N, 1000)
	return s
}

// TestVariants runs every variant under every setting, with less of everything.
func TestVariants(t *testing.T) {
	e, seen := Experiment(), map[string]bool{}
	for _, v := range e.Variants {
		if seen[v.ID] || !strings.HasPrefix(v.ID, "go/") || v.What == "" || len(v.Settings) == 0 {
			t.Errorf("variant %q is a duplicate, or incomplete", v.ID)
		}
		seen[v.ID] = true
		for _, p := range v.Published {
			if !slices.Contains(v.Settings, p.Setting) {
				t.Errorf("%s: nothing runs under the setting of the published figure: %+v", v.ID, p)
			}
		}
		if v.Missing != nil && v.Missing() != "" {
			t.Logf("%s: %s", v.ID, v.Missing())
			continue
		}
		tried := map[lab.Setting]bool{}
		for _, s := range v.Settings {
			if s = smaller(s); strings.Contains(v.ID, "open") {
				s.N = 100
			}
			if tried[s] {
				continue
			}
			tried[s] = true
			o, err := v.Run(t.Context(), lab.Task{Variant: v.ID, Folder: t.TempDir(), Kept: t.TempDir(), Setting: s})
			if err != nil || o.Items < 1 || e.Metric.Of(o) <= 0 || o.Answer == "" {
				t.Errorf("%s %+v: %+v, error %v", v.ID, s, o, err)
			}
			if v.Want != nil && o.Answer != v.Want(s) {
				t.Errorf("%s %+v: answer %q, want %q", v.ID, s, o.Answer, v.Want(s))
			}
		}
	}
}

// TestWant checks answers that are too large to compute in the other tests.
func TestWant(t *testing.T) {
	for n, want := range map[int]string{fewNumbers: "4999950000", manyNumbers: "49999995000000"} {
		if got := wantSum(lab.Setting{N: n}); got != want {
			t.Errorf("sum of %d: %s, want %s", n, got, want)
		}
	}
	thousand := 0.0
	for n := range 1000 {
		thousand += math.Sin(float64(n))
	}
	for n, want := range wantSines {
		if got := fmt.Sprintf("%.3f", float64(n/1000)*thousand); got != want {
			t.Errorf("sum of %d sines: %s, want %s", n, got, want)
		}
	}
}

// TestDivided divides fewer numbers than there are goroutines, none, and lengths around whole parts.
func TestDivided(t *testing.T) {
	for n := range 40 {
		numbers := make([]int, n)
		for i := range numbers {
			numbers[i] = i
		}
		for goroutines := 1; goroutines < 20; goroutines++ {
			if got := addInGoroutines(numbers, goroutines); got != n*(n-1)/2 {
				t.Errorf("%d numbers, %d goroutines: %d", n, goroutines, got)
			}
		}
	}
}

// TestWaitingNoticesWhoDoesNotWait gives waiting ways to wait that miss a goroutine.
func TestWaitingNoticesWhoDoesNotWait(t *testing.T) {
	for name, miss := range map[string]func(n int) int{"first": func(int) int { return 0 }, "last": func(n int) int { return n - 1 }} {
		run := waiting(func(n int, work func(i int)) {
			for i := range n {
				if i != miss(n) {
					work(i)
				}
			}
		})
		o, err := run(t.Context(), lab.Task{Setting: lab.Setting{N: 3}})
		if err != nil || o.Answer == "3 are done" {
			t.Errorf("%s missed: answer %q, error %v", name, o.Answer, err)
		}
	}
}

// TestDeadlockIsACircle records holders and waiters by hand.
func TestDeadlockIsACircle(t *testing.T) {
	b := newAccounts()
	to, from := &transfer{&b.alice, &b.bob, 1}, &transfer{&b.bob, &b.alice, 1}
	third := &transfer{&b.alice, &b.bob, 1}
	for _, test := range []struct {
		name   string
		holder map[*account]*transfer
		waits  map[*transfer]*account
		want   bool
	}{
		{"nothing", nil, nil, false},
		{"waits for a free account", nil, map[*transfer]*account{to: &b.bob}, false},
		{"waits for a worker", map[*account]*transfer{&b.bob: from}, map[*transfer]*account{to: &b.bob}, false},
		{"circle", map[*account]*transfer{&b.alice: to, &b.bob: from}, map[*transfer]*account{to: &b.bob, from: &b.alice}, true},
		{"circle and a third", map[*account]*transfer{&b.alice: to, &b.bob: from},
			map[*transfer]*account{to: &b.bob, from: &b.alice, third: &b.alice}, true},
		{"waits for itself", map[*account]*transfer{&b.alice: to}, map[*transfer]*account{to: &b.alice}, true},
	} {
		b.holder, b.waits = test.holder, test.waits
		if got := b.deadlock(); (got != "") != test.want {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}

// TestFilesMadeOnce checks that files are made by the first run, and again if that was cut short.
func TestFilesMadeOnce(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "files")
	for _, c := range []struct {
		remove string // before
		again  bool
	}{{"", true}, {"", false}, {"4", true}} {
		if c.remove != "" {
			if err := os.Remove(filepath.Join(folder, c.remove)); err != nil {
				t.Fatal(err)
			}
		}
		first := filepath.Join(folder, "0")
		if err := os.WriteFile(first, []byte("x"), 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		paths, err := makeFiles(folder, 5)
		if err != nil || len(paths) != 5 || paths[0] != first {
			t.Fatalf("%q, error %v", paths, err)
		}
		if opened, err := openAll(paths); opened != 5 || err != nil {
			t.Errorf("%d opened, error %v", opened, err)
		}
		if info, err := os.Stat(first); err != nil || (info.Size() == 0) != c.again {
			t.Errorf("%d bytes, error %v; made again: %t", info.Size(), err, c.again)
		}
	}
}

func TestErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, v := range []lab.Variant{open(), openPool(), openBatches()} {
		task := lab.Task{Kept: blocked, Setting: lab.Setting{N: 3, Workers: 2}}
		if o, err := v.Run(t.Context(), task); err == nil {
			t.Errorf("%s: %+v, want an error: a file is in the way", v.ID, o)
		}
	}
	for _, filesPerTask := range []int{1, 2, 100} {
		all := pooled(filesPerTask)(3, []string{missing + "1", missing + "2", missing + "3"})
		if opened, err := all(); opened != 0 || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("pool: %d opened, error %v, want fs.ErrNotExist", opened, err)
		}
	}
	for _, get := range []func([]string) ([]string, error){getAtOnce, getInTurn} {
		if _, err := get([]string{"http://127.0.0.1:1/", "no scheme"}); err == nil || !strings.Contains(err.Error(), "scheme") {
			t.Errorf("error %v, want that of both URLs", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, v := range []lab.Variant{sum(), sine(), waitGroup(), bank(), bankDeadlock(), open()} {
		if _, err := v.Run(ctx, lab.Task{Folder: t.TempDir(), Kept: t.TempDir(), Setting: smaller(v.Settings[0])}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want context.Canceled", v.ID, err)
		}
	}
}
