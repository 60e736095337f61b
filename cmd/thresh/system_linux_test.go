package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

const isLinux = true

// become replaces this process with the command, and appends this process's arguments to the
// command's own. Signals, files and the exit status are then those of the command.
func become(command []string) {
	path, err := exec.LookPath(command[0])
	if err == nil {
		err = unix.Exec(path, append(command, os.Args[1:]...), os.Environ())
	}
	fmt.Fprintf(os.Stderr, "%s=%v: %v\n", underTest, command, err)
	os.Exit(126)
}

// evictFile is the command "evict FILE": it writes the file to storage and evicts it from the page
// cache.
func evictFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: evict FILE")
	}
	f, err := os.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	ts.Check(f.Sync())
	ts.Check(unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
}

// cgroupFolder creates a control group limited to a fifth of a processor, once per test process,
// and returns its folder; "" if this user or system cannot create one. Among other programs it gets all of that, so it is
// the quota that holds it back, however many there are.
func cgroupFolder() string {
	name := filepath.Join("/sys/fs/cgroup/cpu", fmt.Sprintf("thresh-test-%d", os.Getpid()))
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		name = filepath.Join("/sys/fs/cgroup", filepath.Base(name))
	}
	if _, err := os.Stat(name); err == nil {
		return name
	}
	if err := os.Mkdir(name, 0o755); err != nil {
		return ""
	}
	v1 := os.WriteFile(filepath.Join(name, "cpu.cfs_quota_us"), []byte("20000"), 0o644)
	v2 := os.WriteFile(filepath.Join(name, "cpu.max"), []byte("20000 100000"), 0o644)
	if v1 != nil && v2 != nil {
		os.Remove(name)
		return ""
	}
	v1 = os.WriteFile(filepath.Join(name, "cpu.shares"), []byte("262144"), 0o644)
	v2 = os.WriteFile(filepath.Join(name, "cpu.weight"), []byte("10000"), 0o644)
	if v1 != nil && v2 != nil {
		os.Remove(name)
		return ""
	}
	return name
}

// removeCgroup removes the control group that cgroupFolder created.
func removeCgroup() { os.Remove(cgroupFolder()) }
