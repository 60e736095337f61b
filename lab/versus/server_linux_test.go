package versus

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/lab/processes"
)

// TestServer starts, measures and stops a server with all its processes.
func TestServer(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	addr, err := processes.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	// Like nginx, the server works in a child. This master would leave the child running.
	script := fmt.Sprintf("%s %s fileserver %s %s \"\" >/dev/null 2>&1 & wait", self, childCommand, addr, t.TempDir())
	s, err := startServer(t.Context(), "server", addr, nil, "sh", "-c", script)
	if err != nil {
		t.Fatal(err)
	}
	pids, err := s.pids()
	if err != nil || len(pids) != 2 || pids[0] != s.cmd.Process.Pid {
		t.Errorf("processes %v, error %v; want the server's and its child's", pids, err)
	}
	if own, err := s.ownMemory(); err != nil || own < 100<<10 {
		t.Errorf("%d bytes of own memory, error %v", own, err)
	}
	if cpu, err := processes.Seconds(pids...); err != nil || cpu <= 0 {
		t.Errorf("%g s of processor time, error %v", cpu, err)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	for _, pid := range pids {
		for begin := time.Now(); !errors.Is(unix.Kill(pid, 0), unix.ESRCH); time.Sleep(time.Millisecond) {
			if time.Since(begin) > 20*time.Second {
				t.Fatalf("process %d is still there", pid)
			}
		}
	}
	if err := s.stop(); err != nil {
		t.Errorf("stopped again: %v", err)
	}
}

func TestServerThatEnds(t *testing.T) {
	addr, err := processes.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	_, err = startServer(t.Context(), "server", addr, nil, "sh", "-c", "echo no room; exit 3")
	if err == nil || !strings.Contains(err.Error(), "no room") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("error %v, want the server's output and its exit status", err)
	}
}

// TestProcessClock checks that the time of all threads of a process counts.
func TestProcessClock(t *testing.T) {
	self := []int{os.Getpid()}
	begin, err := processes.Seconds(self...)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { // likely on another thread
		defer close(done)
		for since := time.Now(); time.Since(since) < 30*time.Millisecond; {
			continue
		}
	}()
	<-done
	end, err := processes.Seconds(self...)
	if err != nil || end <= begin {
		t.Errorf("from %g to %g s, error %v", begin, end, err)
	}
	// There is no such process: PIDs are smaller.
	if _, err := processes.Seconds(1 << 22); err == nil {
		t.Error("no error for a process that does not exist")
	}
}

func TestParsePIDs(t *testing.T) {
	for _, list := range []string{"12,345", "12 345 ", " 12,345"} {
		if got, err := parsePIDs(list); err != nil || fmt.Sprint(got) != "[12 345]" {
			t.Errorf("%q is %v, error %v", list, got, err)
		}
	}
	for _, bad := range []string{"x", "12,-3", "0"} {
		if got, err := parsePIDs(bad); err == nil {
			t.Errorf("no error for %q, but %v", bad, got)
		}
	}
}

func TestPins(t *testing.T) {
	p, err := choosePins()
	if err == nil && p.server == p.client {
		t.Errorf("both on processor %d", p.server)
	}
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	if (err != nil) != (set.Count() == 1) {
		t.Errorf("%d processors, error %v", set.Count(), err)
	}
}

// TestStage checks that a case leaves nothing behind.
func TestStage(t *testing.T) {
	st, err := (&bench{}).newStage()
	if err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(st.temp+"/some.log", nil, 0o644); err != nil {
		t.Error(err)
	}
	if err := st.close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(st.temp); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that %s does not exist", err, st.temp)
	}
}

// TestQuestions checks that the five ranges are separate and within the file.
func TestQuestions(t *testing.T) {
	for _, size := range []int64{1 << 20, 512<<20 + 3} {
		q := questions(size)
		if q[0].bytes != size || q[1].bytes <= 0 || q[1].bytes >= size {
			t.Errorf("of %d bytes: %+v", size, q[:2])
		}
		var sum, from, to int64
		end := int64(-2)
		for part := range strings.SplitSeq(strings.TrimPrefix(q[2].ranges, "bytes="), ",") {
			if _, err := fmt.Fscanf(strings.NewReader(part), "%d-%d", &from, &to); err != nil {
				t.Fatalf("%q: %v", part, err)
			}
			if from <= end+1 || to < from || to >= size {
				t.Errorf("range %q of %d bytes after %d", part, size, end)
			}
			end = to
			sum += to - from + 1
		}
		if sum != q[2].bytes {
			t.Errorf("five ranges of %d bytes, want %d", sum, q[2].bytes)
		}
	}
}
