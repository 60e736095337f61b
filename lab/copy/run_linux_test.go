package copy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/lab"
)

// random makes a file of size random bytes.
func random(t *testing.T, size int) string {
	t.Helper()
	b := make([]byte, size)
	rand.NewChaCha8([32]byte{1}).Read(b)
	path := filepath.Join(t.TempDir(), "random bytes.bin")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// descriptors returns the open descriptors of this process, except the one that it uses itself.
func descriptors(t *testing.T) (open []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		to, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && !strings.HasSuffix(to, "/fd") {
			open = append(open, e.Name()+" "+to)
		}
	}
	return open
}

// checkLeft fails if descriptors are open that were not before. Fewer may be: the garbage collector closes some in
// its own time.
func checkLeft(t *testing.T, before []string) {
	t.Helper()
	after := descriptors(t)
	if after = slices.DeleteFunc(after, func(d string) bool { return slices.Contains(before, d) }); len(after) > 0 {
		t.Errorf("left open: %q", after)
	}
}

// TestPath checks that each server uses its stated path, according to a trace and to the kernel's
// counters, and that it sends the right bytes.
func TestPath(t *testing.T) {
	const size = 4 << 20
	file := random(t, size)
	_, untraceable := strace()
	before := descriptors(t)
	for _, v := range variants() {
		if lacks := v.missing(); lacks != "" {
			t.Logf("%s: %s", v.id, lacks)
			continue
		}
		for _, traced := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/traced=%t", v.id, traced), func(t *testing.T) {
				if traced && untraceable != nil {
					t.Skip(untraceable)
				}
				o, err := v.run(t.Context(), options{file: file, transfers: 2, trace: traced, hash: traced})
				if err != nil {
					t.Fatal(err)
				}
				if want := 2 * (size - v.asks.skipped()); o.bytes != want {
					t.Errorf("%d bytes, want %d", o.bytes, want)
				}
				if o.shares().path() != v.path {
					t.Errorf("path %s, want %s: %+v %+v", o.shares().path(), v.path, o, o.calls)
				}
				if o.userSeconds+o.systemSeconds < 0 || o.wallSeconds <= 0 || (o.calls != nil) != traced {
					t.Errorf("implausible outcome: %+v", o)
				}
			})
		}
	}
	checkLeft(t, before)
}

// TestExperiment runs every variant as the lab does, with strace if it is installed, and some without.
func TestExperiment(t *testing.T) {
	e := Experiment()
	file := filepath.Join(t.TempDir(), "file")
	const size = 1<<20 + 3
	want, err := e.Inputs[0].Write(t.Context(), file, size)
	if err != nil {
		t.Fatal(err)
	}
	_, untraceable := strace()
	for _, v := range e.Variants {
		if v.Peer && v.Missing() != "" {
			continue
		}
		o, err := v.Run(t.Context(), lab.Task{Variant: v.ID, Path: file, Bytes: size, Setting: warm})
		if err != nil || o.Answer != want || v.Missing() != "" {
			t.Fatalf("%s: answer %s, want %s; error %v", v.ID, o.Answer, want, err)
		}
		if o.Bytes < timedTransfers*(size-1) || e.Metric.Of(o) < 0 || o.Seconds <= 0 {
			t.Errorf("%s: implausible outcome: %+v", v.ID, o)
		}
		if calls := o.Extra["read_calls"] + o.Extra["write_calls"] + o.Extra["sendfile_calls"] + o.Extra["splice_calls"]; (calls > 0) !=
			(untraceable == nil) {
			t.Errorf("%s: %g calls, strace: %v", v.ID, calls, untraceable)
		}
	}
	t.Setenv("PATH", "")
	o, err := e.Variants[0].Run(t.Context(), lab.Task{Path: file, Setting: warm})
	if _, traced := o.Extra["sendfile_calls"]; traced || err != nil || o.Extra[sendfilePercent] != 100 || o.Calls == 0 {
		t.Errorf("without strace: %+v, error %v", o, err)
	}
}

// TestUntouched checks that the standard library's zero-copy variants copy no byte of the file. They
// write only HTTP headers and the like.
func TestUntouched(t *testing.T) {
	if _, err := strace(); err != nil {
		t.Skip(err)
	}
	file := random(t, 4<<20)
	for _, id := range []string{"raw", "limit", "forward", "splice", "http-length", "http-fileserver", "http-range", "serve"} {
		v, err := find(id)
		if err != nil {
			t.Fatal(err)
		}
		o, err := v.run(t.Context(), options{file: file, trace: true})
		if err != nil {
			t.Fatal(err)
		}
		if o.calls.write.bytes > 4096 {
			t.Errorf("%s wrote %d bytes: %+v", id, o.calls.write.bytes, *o.calls)
		}
	}
}

// running returns the processes with a word in their command line.
func running(t *testing.T, word string) (ids []string) {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err == nil && strings.Contains(string(text), word) {
			ids = append(ids, strings.Split(p, "/")[2])
		}
	}
	return ids
}

// wait waits until at least n processes have a word in their command line, or until none has if n
// is 0.
func wait(t *testing.T, word string, n int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		ids := running(t, word)
		if n == 0 && len(ids) == 0 || n > 0 && len(ids) >= n {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("processes %v have %s in their command line; want %d of them", ids, word, n)
		}
	}
}

// unique makes a file with a name that no other process uses.
func unique(t *testing.T) (path, name string) {
	t.Helper()
	name = fmt.Sprintf("lab-copy-%d-%x", os.Getpid(), rand.Uint64())
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, name
}

func TestCancelledRunLeavesNothing(t *testing.T) {
	_, untraceable := strace()
	for _, traced := range []bool{false, true} {
		t.Run(fmt.Sprintf("traced=%t", traced), func(t *testing.T) {
			if traced && untraceable != nil {
				t.Skip(untraceable)
			}
			v := known(t, "splice")
			before := descriptors(t)
			file, name := unique(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error)
			go func() {
				_, err := v.run(ctx, options{file: file, transfers: endless, trace: traced})
				ended <- err
			}()
			wait(t, name, 2) // upstream and client
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want context.Canceled", err)
			}
			if left := running(t, name); len(left) > 0 {
				t.Errorf("processes %v are left", left)
			}
			checkLeft(t, before)
		})
	}
}

func TestKilledParentLeavesNothing(t *testing.T) {
	file, name := unique(t)
	parent := exec.Command(os.Args[0], parentCommand, "raw", file)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	wait(t, name, 3) // itself, server and client
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := parent.Wait(); err == nil {
		t.Error("no error for a killed process")
	}
	wait(t, name, 0)
}

func TestErrors(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, v := range Experiment().Variants {
		if _, err := v.Run(t.Context(), lab.Task{Path: empty + "-not"}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: error %v for a missing file, want fs.ErrNotExist", v.ID, err)
		}
		if _, err := v.Run(t.Context(), lab.Task{Path: empty}); err == nil {
			t.Errorf("%s: no error for an empty file", v.ID)
		}
	}
	for _, args := range [][]string{{"nothing"}, {"serve", "raw"}, {"serve", "unknown", empty}, {"fetch", "{"}} {
		if handled, status := Child(append([]string{childCommand}, args...)); !handled || status == 0 {
			t.Errorf("%q: handled %t with status %d", args, handled, status)
		}
	}
	if handled, _ := Child([]string{"--rounds", "3"}); handled {
		t.Error("Child handled arguments that are not for it")
	}
}

// known returns the variant of an ID.
func known(t *testing.T, id string) variant {
	t.Helper()
	v, err := find(id)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
