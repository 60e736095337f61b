package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// refusedAsk is a command whose system calls are refused.
type refusedAsk struct {
	name  string
	args  []string
	out   string // the file that it makes or replaces; "" for none
	calls []refusedCall
}

// refusedCall is a system call, and with which errors. Only the moments in which it happens at all count as runs.
type refusedCall struct {
	name   string
	errors string
	path   string // only calls with this file; "" for all. Go's runtime maps memory, too, and ends where it can't.
	after  bool   // all calls that follow are refused, too
}

// refusedAsks go through spilled groups, partitions, pairs and quantiles, files that appear when they are complete,
// a journal, and inputs that are mapped or read.
func refusedAsks() []refusedAsk {
	spill := []refusedCall{{name: "pwrite64", errors: "ENOSPC ENOMEM EBUSY EIO EDQUOT"}, {name: "pread64", errors: "EIO"},
		{name: "pwrite64", errors: "ENOSPC", after: true}, {name: "unlinkat", errors: "EBUSY"}}
	file := []refusedCall{{name: "write", errors: "ENOSPC EIO", path: "OUT"}, {name: "linkat", errors: "EPERM EIO"},
		{name: "fsync", errors: "EIO ENOSPC"}, {name: "renameat", errors: "EBUSY EIO"},
		{name: "fchmod", errors: "EPERM EIO"}, {name: "close", errors: "EIO", path: "OUT"}}
	input := []refusedCall{{name: "mmap", errors: "ENOMEM EBUSY", path: "IN", after: true},
		{name: "pread64", errors: "EIO EBUSY", path: "IN"},
		{name: "openat", errors: "ENOMEM EMFILE EBUSY", path: "IN"}, {name: "fstat", errors: "ENOMEM EIO", path: "IN"}}
	certified := append(file[2:4:4], refusedCall{name: "write", errors: "ENOSPC EIO"},
		refusedCall{name: "flock", errors: "EIO ENOMEM"}, refusedCall{name: "unlinkat", errors: "EBUSY"},
		refusedCall{name: "ftruncate", errors: "EIO"})
	table := func(args ...string) []string {
		return append([]string{"table", "k.csv", "--header", "--mem", "64MiB", "--workers", "2"}, args...)
	}
	return []refusedAsk{
		{"groups", table("--group", "k"), "", spill},
		{"sums", table("--group", "k", "--agg", "sum(v)", "--sort", "sum(v)", "--limit", "5"), "", spill},
		{"distinct", table("--group", "v", "--agg", "distinct(k),p50(n),mode(k)"), "", spill},
		{"records", []string{"table", "k.csv", "--header", "--select", "*", "-o", "out.csv"}, "out.csv", file},
		{"counts", []string{"count", "k.csv", "--lines"}, "", input},
		{"grep", []string{"grep", "-c", "ff", "k.csv"}, "", input},
		{"table", table("--columns"), "", input},
		{"minify", []string{"minify", "k.json", "-o", "out.json"}, "out.json", append(file,
			refusedCall{name: "pwrite64", errors: "ENOSPC EIO"},
			refusedCall{name: "pwritev", errors: "ENOSPC"}, refusedCall{name: "ftruncate", errors: "EIO ENOSPC"},
			refusedCall{name: "fallocate", errors: "ENOSPC EIO"})},
		{"blank", []string{"blank", "blank.img", "--cached", "--report", "out.json"}, "out.json", certified},
		{"cmp", []string{"cmp", "blank.img", "same.img", "--report", "out.json"}, "out.json", certified},
	}
}

// changing is what differs from run to run in a certificate.
var changing = regexp.MustCompile(`"(began|ended|seconds|digest|rate|bytes_per_second|mtime|at)":.*`)

// TestRefusedCalls has the kernel refuse system calls of the program, one or all from one on: the answer is right, or
// the exit status is 2 or 3 and a line says where. It never dumps, never hangs, and leaves nothing behind.
func TestRefusedCalls(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Fatal("strace is missing: scripts/test-setup.sh installs it")
	}
	const most = 100
	asks := refusedAsks()
	type try struct {
		ask  *refusedAsk
		call refusedCall
		err  string
		nth  int
	}
	var tries []try
	for i := range asks {
		for _, c := range asks[i].calls {
			for _, e := range strings.Fields(c.errors) {
				for _, nth := range []int{1, 2, 3, 5, 8} {
					tries = append(tries, try{&asks[i], c, e, nth})
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(30, 100))
	r.Shuffle(len(tries), func(i, j int) { tries[i], tries[j] = tries[j], tries[i] })
	slices.SortStableFunc(tries, func(a, b try) int { return min(a.nth, 2) - min(b.nth, 2) }) // each first call once
	folder := refusedFiles(t)
	right := map[string]string{}
	for _, a := range asks {
		status, out, message, _ := a.run(t, folder, nil)
		if status != 0 || out == "" {
			t.Fatalf("%s: exit status %d, %s", a.name, status, message)
		}
		right[a.name] = out
		leftBehind(t, folder, a.out)
	}
	runs, failed := 0, 0
	for _, try := range tries {
		if runs == most {
			break
		}
		when := fmt.Sprint(try.nth)
		if try.call.after {
			when += "+"
		}
		inject := []string{"-e", "trace=" + try.call.name,
			"-e", "inject=" + try.call.name + ":error=" + try.err + ":when=" + when}
		switch try.call.path {
		case "IN":
			inject = append(inject, "-P", filepath.Join(folder, "in", "k.csv"))
		case "OUT":
			inject = append(inject, "-P", filepath.Join(folder, "in", try.ask.out))
		}
		status, out, message, injected := try.ask.run(t, folder, inject)
		behind := leftBehind(t, folder, try.ask.out)
		if !injected {
			continue
		}
		runs++
		what := fmt.Sprintf("%s, %s", try.ask.name, inject[3])
		switch {
		case status == 0 && out != right[try.ask.name]:
			t.Errorf("%s: another answer: %.300q\n%s", what, out, message)
		case status != 0 && status != 2 && status != 3:
			t.Errorf("%s: exit status %d\n%s", what, status, message)
		case status != 0 && !strings.HasPrefix(message, "thresh: "):
			t.Errorf("%s: exit status %d, and no place: %q", what, status, message)
		case strings.Contains(message, "goroutine ") || strings.Contains(message, "thresh: bug"):
			t.Errorf("%s: a dump\n%s", what, message)
		}
		if status != 0 {
			failed++
		}
		for _, left := range behind {
			if status != 0 && left == try.ask.out+".journal" {
				continue // what --resume needs
			}
			if status != 0 && try.call.name == "unlinkat" && strings.Contains(message, left) {
				continue // it says so
			}
			t.Errorf("%s: %s is left behind; exit status %d\n%s", what, left, status, message)
		}
	}
	t.Logf("%d runs, of which %d failed", runs, failed)
	if runs < most || failed < most/3 {
		t.Errorf("%d runs in which a call was refused, of which %d failed: too few", runs, failed)
	}
}

// refusedFiles makes the inputs, and an empty folder for temporary files.
func refusedFiles(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	r := rand.New(rand.NewPCG(1, 30))
	var csv, json bytes.Buffer
	csv.WriteString("k,v,n\n")
	for i := range 200_000 { // so many that tables spill, and so short that more batches of a chunk follow
		fmt.Fprintf(&csv, "%016x%06d,%d,%d\n", r.Uint64(), i, i%7, i%100)
	}
	for i := range 20_000 {
		fmt.Fprintf(&json, "{ \"a\" : [ %d , \"%x\" ] }\n", i, r.Uint64())
	}
	files := map[string][]byte{"k.csv": csv.Bytes(), "k.json": json.Bytes(), "blank.img": make([]byte, 8<<20),
		"same.img": make([]byte, 8<<20)}
	for name, data := range files {
		if err := os.MkdirAll(filepath.Join(folder, "in"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "in", name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "temp"), 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}

// run runs the command, under strace if calls are to be refused, and returns what it printed and the file that it made,
// and whether any call was refused. A file that is to be replaced holds "old" before; after a failure it still does.
func (a *refusedAsk) run(t *testing.T, folder string, inject []string) (
	status int, out, message string, injected bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	log := filepath.Join(folder, "calls")
	args := append([]string{"thresh"}, a.args...)
	if inject != nil {
		strace := []string{"strace", "-f", "-qq", "-esignal=none", "--seccomp-bpf", "-o", log}
		args = append(append(strace, inject...), args...)
	}
	in := filepath.Join(folder, "in")
	file := filepath.Join(in, a.out)
	if a.out != "" {
		if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = in
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(folder, "temp"),
		"XDG_CACHE_HOME="+filepath.Join(folder, "cache"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("%v: %v %v", args, err, ctx.Err())
	}
	status, out = cmd.ProcessState.ExitCode(), stdout.String()
	if a.out != "" {
		made, err := os.ReadFile(file)
		if status == 2 && string(made) != "old" && !strings.Contains(stderr.String(), "remove "+a.out+".journal") {
			t.Errorf("%v failed, and the file is not as before: %.100q, %v\n%s", args, made, err, stderr.String())
		}
		out += string(made)
	}
	if a.name == "blank" || a.name == "cmp" {
		out = changing.ReplaceAllString(stdout.String(), "")
	}
	if inject != nil {
		calls, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		injected = bytes.Contains(calls, []byte("(INJECTED)"))
	}
	return status, out, stderr.String(), injected
}

// leftBehind returns the files that should not be there, and removes all but the inputs.
func leftBehind(t *testing.T, folder, out string) (left []string) {
	t.Helper()
	for _, dir := range []string{"in", "temp"} {
		files, err := os.ReadDir(filepath.Join(folder, dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if slices.Contains([]string{"k.csv", "k.json", "blank.img", "same.img"}, f.Name()) {
				continue
			}
			if f.Name() != out {
				left = append(left, f.Name())
			}
			if err := os.Remove(filepath.Join(folder, dir, f.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	return left
}
