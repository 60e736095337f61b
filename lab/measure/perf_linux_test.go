package measure

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/lab"
)

// TestPerfControl plays perf at the other end of the pipes.
func TestPerfControl(t *testing.T) {
	c := perfControl(t.TempDir())
	if err := c.make(); err != nil {
		t.Fatal(err)
	}
	for answer, good := range map[string]bool{"ack\n\x00": true, "failed\n": false} {
		heard := make(chan string, 1)
		go func() {
			text, err := os.ReadFile(c.commands())
			heard <- string(text)
			if err := errors.Join(err, os.WriteFile(c.answers(), []byte(answer), 0)); err != nil {
				t.Error(err)
			}
		}()
		if err := c.tell("enable"); (err == nil) != good {
			t.Errorf("answer %q: error %v", answer, err)
		}
		if got := <-heard; got != "enable\n" {
			t.Errorf("perf got %q", got)
		}
	}
	if err := c.make(); !errors.Is(err, os.ErrExist) {
		t.Errorf("pipes made twice: error %v", err)
	}
}

// TestPerf profiles a run by perf, also where this program has no symbols to name its functions by.
func TestPerf(t *testing.T) {
	temp := t.TempDir()
	if _, err := exec.LookPath("perf"); err != nil || kernelHidden() != "" {
		t.Skip("perf is not installed, or may not see the kernel")
	}
	if err := tryPerf(t.Context(), temp); err != nil {
		t.Skip(err)
	}
	s := &session{Options: options(t), process: process{[]string{os.Args[0], "child"}, options(t).Longest, temp}}
	o, p, err := s.profiledRun(t.Context(), request{Task: lab.Task{Variant: "made/busy"}}, true)
	if err != nil {
		t.Fatal(err)
	}
	// 0.3 s of processor time at 1999 Hz, of which a busy host may take some.
	if n := samples([]entry{{Profile: p}}); p.Source != "perf" || p.Note != "" || n < 100 || o.Seconds == 0 {
		t.Errorf("%d samples: %+v", n, p)
	}
	if left, err := filepath.Glob(filepath.Join(temp, "p*-*")); err != nil || len(left) > 0 {
		t.Errorf("left %v, error %v", left, err)
	}
}

// TestNoPerf: where perf is not used, it is said why.
func TestNoPerf(t *testing.T) {
	folder := t.TempDir()
	fake := filepath.Join(folder, "perf")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\necho no such option >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder)
	if err := tryPerf(t.Context(), folder); err == nil || !strings.Contains(err.Error(), "no such option") {
		t.Errorf("error %v", err)
	}
	if err := os.Remove(fake); err != nil {
		t.Fatal(err)
	}
	if why := noPerf(context.Background(), folder, os.Args[0]); why != "perf is not installed" {
		t.Errorf("%q", why)
	}
}
