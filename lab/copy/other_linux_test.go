package copy

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/lab/processes"
)

// inside returns the processes that work in a folder that the given one contains: it finds those whose command
// line says nothing, as nginx's workers.
func inside(t *testing.T, folder string) (ids []string) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && strings.HasPrefix(to, folder+"/") {
			ids = append(ids, strings.Split(link, "/")[2])
		}
	}
	return ids
}

func awaitInside(t *testing.T, folder string, enough func(n int) bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !enough(len(inside(t, folder))); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("processes %v work in %s", inside(t, folder), folder)
		}
	}
}

// TestOthersEnd checks that nothing is left of other programs when a run is cancelled, and when the process that
// began it is killed.
func TestOthersEnd(t *testing.T) {
	for _, c := range []struct {
		id        string
		processes int
	}{{"nginx", 2}, {"haproxy", 1}} {
		v := known(t, c.id)
		if lacks := v.missing(); lacks != "" {
			t.Log(v.id, lacks)
			continue
		}
		temp := t.TempDir()
		t.Setenv("TMPDIR", temp)
		file, _ := unique(t)
		began := func(n int) bool { return n >= c.processes }
		none := func(n int) bool { return n == 0 }
		empty := func() {
			t.Helper()
			if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
				t.Errorf("%s left %v, error %v", v.id, left, err)
			}
		}

		if _, err := v.run(t.Context(), options{file: file, transfers: 2}); err != nil {
			t.Fatal(err)
		}
		if left := inside(t, temp); len(left) > 0 {
			t.Errorf("%s left processes %v", v.id, left)
		}
		empty()

		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := v.run(ctx, options{file: file, transfers: endless})
			done <- err
		}()
		awaitInside(t, temp, began)
		cancel()
		if err := <-done; err == nil {
			t.Errorf("%s: no error for a cancelled run", v.id)
		}
		awaitInside(t, temp, none)
		empty()

		parent := exec.Command(os.Args[0], parentCommand, v.id, file)
		if err := parent.Start(); err != nil {
			t.Fatal(err)
		}
		awaitInside(t, temp, began)
		if err := parent.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := parent.Wait(); err == nil {
			t.Error("no error for a killed process")
		}
		awaitInside(t, temp, none)
	}
}

// TestFolderWithSpace serves a file and keeps temporary ones in folders whose names have a space.
func TestFolderWithSpace(t *testing.T) {
	v := known(t, "nginx")
	if lacks := v.missing(); lacks != "" {
		t.Skip(lacks)
	}
	temp, folder := filepath.Join(t.TempDir(), "a temp"), filepath.Join(t.TempDir(), "a cache")
	if err := errors.Join(os.Mkdir(temp, 0o700), os.Mkdir(folder, 0o700)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	path := filepath.Join(folder, "a file")
	text := []byte("served from a folder with a space")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := v.run(t.Context(), options{file: path, hash: true})
	if want := fmt.Sprintf("%x", sha256.Sum256(text)); err != nil || o.sum != want {
		t.Errorf("%+v, error %v, want %s", o, err, want)
	}
}

// TestOtherFails starts programs that do not listen.
func TestOtherFails(t *testing.T) {
	of := func(args ...string) *program {
		return &program{"other", func(string, string, string) ([]string, error) { return args, nil }}
	}
	failed := errors.New("no configuration")
	for want, p := range map[string]*program{
		"other has ended: exit status 3: no luck": of("sh", "-c", "echo no luck; exit 3"),
		"start other":      of(filepath.Join(t.TempDir(), "none")),
		"no configuration": {"other", func(string, string, string) ([]string, error) { return nil, failed }},
	} {
		t.Setenv("TMPDIR", t.TempDir())
		if err := childOther(p, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
			t.Errorf("left %v, error %v", left, err)
		}
	}
}

func TestListens(t *testing.T) {
	const table = "  sl  local_address rem_address   st tx_queue\n" +
		"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000\n" +
		"   1: 0100007F:1F91 0100007F:1F90 01 00000000:00000000\n" +
		"   2: 00000000:1F92 00000000:0000 0A 00000000:00000000\n"
	for port, want := range map[uint16]bool{8080: true, 8081: false, 8082: false, 8083: false} {
		if listens(table, port) != want {
			t.Errorf("port %d listens: %t", port, !want)
		}
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("/proc/net/tcp")
	if port := l.Addr().(*net.TCPAddr).Port; err != nil || !listens(string(text), uint16(port)) {
		t.Errorf("port %d does not listen in\n%s", port, text)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// clock returns the processor time of this process.
func clock(t *testing.T) float64 {
	t.Helper()
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now); err != nil {
		t.Fatal(err)
	}
	return float64(now.Nano()) / 1e9
}

// TestUsedBy compares the counters of a process that worked with the clock.
func TestUsedBy(t *testing.T) {
	low := clock(t)
	before, err := usedBy(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if all := before.UserSeconds + before.SystemSeconds; all < low-1e-6 || all > clock(t)+1e-6 {
		t.Errorf("%g s of processor time; the clock was at %g before and is at %g", all, low, clock(t))
	}
	begin, kinds := time.Now(), 0
	for time.Since(begin) < 60*time.Millisecond {
		kinds += len(fmt.Sprint(kinds))
	}
	after, err := usedBy(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	used := after.UserSeconds + after.SystemSeconds - before.UserSeconds - before.SystemSeconds
	if used < 0.002 || used > 5 || after.IO.ReadCalls <= before.IO.ReadCalls {
		t.Errorf("%g s of processor time; %+v, then %+v", used, before, after)
	}
	if _, err := usedBy(1 << 22); err == nil {
		t.Error("no error for a process that is not there")
	}
}

// TestFamily finds a child.
func TestFamily(t *testing.T) {
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	pids, err := processes.Family(os.Getpid())
	found := false
	for _, pid := range pids[1:] {
		found = found || pid == child.Process.Pid
	}
	if err != nil || pids[0] != os.Getpid() || !found {
		t.Errorf("%v without %d, error %v", pids, child.Process.Pid, err)
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	alone, aerr := usedBy(os.Getpid())
	s := &otherServer{name: "other", cmd: &exec.Cmd{Process: self}, ended: make(chan struct{})}
	all, err := s.used()
	if err := errors.Join(err, aerr); err != nil || all.IO.ReadCalls <= alone.IO.ReadCalls {
		t.Errorf("%+v with the child, %+v alone, error %v", all, alone, err)
	}
	close(s.ended)
	if _, err := s.used(); err == nil || !strings.Contains(err.Error(), "other has ended") {
		t.Errorf("error %v of a program that has ended", err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err == nil {
		t.Error("it was not killed")
	}
}
