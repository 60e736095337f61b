//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// programVariable lets the binary of the tests be the program.
const programVariable = "THRESH_CLUSTER_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) == "" {
		os.Exit(m.Run())
	}
	main()
}

// TestNothingLeft runs ten jobs as processes, some of them interrupted, and looks for what they leave behind.
func TestNothingLeft(t *testing.T) {
	folder := t.TempDir()
	temp, data := filepath.Join(folder, "temp"), filepath.Join(folder, "data")
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(temp, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(data, bytes.Repeat([]byte("a line\n"), 30_000), 0o666); err != nil {
		t.Fatal(err)
	}
	for i, with := range []os.Signal{nil, syscall.SIGINT, nil, syscall.SIGTERM, nil, syscall.SIGINT, nil, nil, syscall.SIGTERM, nil} {
		var out, messages bytes.Buffer
		output := filepath.Join(folder, fmt.Sprint("out", i))
		cmd := exec.Command(binary, "count", "--lines", "--cell", "8KiB", "--range", "16KiB", "-o", output, data)
		cmd.Env = append(os.Environ(), "TMPDIR="+temp, programVariable+"=1")
		cmd.Stdout, cmd.Stderr = &out, &messages
		if with != nil {
			cmd.Env = append(cmd.Env, "THRESH_CLUSTER_TRIAL=claim=1m")
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if with != nil {
			waitFor(t, "temporary folder", func() bool {
				entries, err := os.ReadDir(temp)
				return err == nil && len(entries) > 0
			})
			if err := cmd.Process.Signal(with); err != nil {
				t.Fatal(err)
			}
		}
		err = cmd.Wait()
		answer, readErr := os.ReadFile(output)
		switch {
		case with == nil && (err != nil || string(answer) != "30000\n"):
			t.Errorf("job %d: %v, %q\n%s", i, err, answer, &messages)
		case with != nil && (cmd.ProcessState.ExitCode() != 130 || !os.IsNotExist(readErr)):
			t.Errorf("job %d, interrupted: %v, %q\n%s", i, err, answer, &messages)
		}
	}
	if entries, err := os.ReadDir(temp); err != nil || len(entries) > 0 {
		t.Errorf("temporary files are left: %v %v", entries, err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 2+6 {
		t.Errorf("the folder of the results holds %v %v", entries, err)
	}
	if out, err := exec.Command("ps", "-eo", "args").Output(); err == nil && strings.Contains(string(out), data) {
		t.Errorf("processes are left:\n%s", out)
	}
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited too long for the %s", what)
		}
	}
}
