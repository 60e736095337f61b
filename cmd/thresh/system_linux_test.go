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

// become replaces this process by the command, with this process's arguments behind its
// own: signals, files and the exit status are the command's.
func become(command []string) {
	path, err := exec.LookPath(command[0])
	if err == nil {
		err = unix.Exec(path, append(command, os.Args[1:]...), os.Environ())
	}
	fmt.Fprintf(os.Stderr, "%s=%v: %v\n", underTest, command, err)
	os.Exit(126)
}

// evictFile is the command "evict FILE": what it holds is written to storage and taken out
// of the page cache.
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

// cgroupFolder makes a control group that allows a fifth of a processor, once a test
// process, and returns its folder; "" where this user or system cannot have one.
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
	return name
}

// removeCgroup removes what cgroupFolder made.
func removeCgroup() { os.Remove(cgroupFolder()) }
