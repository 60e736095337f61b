package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/test/rounds"
	"github.com/thresh-dev/thresh/internal/test/sandbox"
)

// denied is a system call that a sandbox denies. If it is needless, thresh must answer without it.
type denied struct {
	sandbox.Call
	needless bool
}

// sandboxed lists the system calls of thresh that a sandbox may deny and the Go runtime does
// without.
var sandboxed = map[string]denied{
	"madvise":        {sandbox.Call{Number: unix.SYS_MADVISE}, true},
	"fstatfs":        {sandbox.Call{Number: unix.SYS_FSTATFS}, true},
	"statx":          {sandbox.Call{Number: unix.SYS_STATX}, true},
	"fallocate":      {sandbox.Call{Number: unix.SYS_FALLOCATE}, true},
	"linkat":         {sandbox.Call{Number: unix.SYS_LINKAT}, true},
	"open_tmpfile":   {sandbox.Call{Number: unix.SYS_OPENAT, Arg: 2, Flags: unix.O_TMPFILE &^ unix.O_DIRECTORY}, true},
	"open_direct":    {sandbox.Call{Number: unix.SYS_OPENAT, Arg: 2, Flags: unix.O_DIRECT}, true},
	"cachestat":      {sandbox.Call{Number: unix.SYS_CACHESTAT}, true},
	"mincore":        {sandbox.Call{Number: unix.SYS_MINCORE}, true},
	"io_uring_setup": {sandbox.Call{Number: unix.SYS_IO_URING_SETUP}, true},
	"io_uring_enter": {sandbox.Call{Number: unix.SYS_IO_URING_ENTER}, true},
	"io_uring_reg":   {sandbox.Call{Number: unix.SYS_IO_URING_REGISTER}, true},
	"affinity":       {sandbox.Call{Number: unix.SYS_SCHED_GETAFFINITY}, true},
	"prctl":          {sandbox.Call{Number: unix.SYS_PRCTL}, true},
	"prlimit64":      {sandbox.Call{Number: unix.SYS_PRLIMIT64}, true},
	"sysinfo":        {sandbox.Call{Number: unix.SYS_SYSINFO}, true},
	"uname":          {sandbox.Call{Number: unix.SYS_UNAME}, true},
	"pipe_size":      {sandbox.Call{Number: unix.SYS_FCNTL, Arg: 1, Flags: 1 << 10}, true},
	"ioctl":          {sandbox.Call{Number: unix.SYS_IOCTL}, true},
	"fchown":         {sandbox.Call{Number: unix.SYS_FCHOWN}, true},
	"map_file":       {sandbox.Call{Number: unix.SYS_MMAP, Arg: 3, Flags: unix.MAP_SHARED}, true},
	"seek_hole":      {sandbox.Call{Number: unix.SYS_LSEEK, Arg: 2, Flags: 4}, true},
	"copy_range":     {sandbox.Call{Number: unix.SYS_COPY_FILE_RANGE}, true},
	"sync_range":     {sandbox.Call{Number: unix.SYS_SYNC_FILE_RANGE}, true},

	"fadvise64":   {sandbox.Call{Number: unix.SYS_FADVISE64}, false},
	"getrusage":   {sandbox.Call{Number: unix.SYS_GETRUSAGE}, false},
	"lseek":       {sandbox.Call{Number: unix.SYS_LSEEK}, false},
	"seek_data":   {sandbox.Call{Number: unix.SYS_LSEEK, Arg: 2, Flags: 2}, false}, // and the end
	"fstat":       {sandbox.Call{Number: unix.SYS_FSTAT}, false},
	"newfstatat":  {sandbox.Call{Number: fstatat[runtime.GOARCH]}, false},
	"pread64":     {sandbox.Call{Number: unix.SYS_PREAD64}, false},
	"pwrite64":    {sandbox.Call{Number: unix.SYS_PWRITE64}, false},
	"getdents64":  {sandbox.Call{Number: unix.SYS_GETDENTS64}, false},
	"fsync":       {sandbox.Call{Number: unix.SYS_FSYNC}, false},
	"renameat":    {sandbox.Call{Number: unix.SYS_RENAMEAT}, false},
	"renameat2":   {sandbox.Call{Number: unix.SYS_RENAMEAT2}, false},
	"unlinkat":    {sandbox.Call{Number: unix.SYS_UNLINKAT}, false},
	"ftruncate":   {sandbox.Call{Number: unix.SYS_FTRUNCATE}, false},
	"fchmod":      {sandbox.Call{Number: unix.SYS_FCHMOD}, false},
	"ppoll":       {sandbox.Call{Number: unix.SYS_PPOLL}, false},
	"open_create": {sandbox.Call{Number: unix.SYS_OPENAT, Arg: 2, Flags: unix.O_CREAT}, false},
}

// The call has a different name and number on every architecture.
var fstatat = map[string]uintptr{"amd64": 262, "arm64": 79}

var denials = []unix.Errno{unix.EPERM, unix.ENOSYS, unix.EINVAL, unix.EACCES, unix.ENOMEM}

// confined is the command "sandbox CALL ERRNO thresh ARGS...": this program with a call denied.
func confined() {
	call, ok := sandboxed[os.Args[1]]
	at := slices.IndexFunc(denials, func(e unix.Errno) bool { return unix.ErrnoName(e) == os.Args[2] })
	err := fmt.Errorf("no such call or error: %v", os.Args[1:3])
	if ok && at >= 0 {
		err = sandbox.Deny(call.Call, denials[at])
	}
	if err == nil {
		err = unix.Exec("/proc/self/exe", os.Args[3:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, "sandbox:", err)
	os.Exit(126)
}

// sandboxQuestion is a command line to run in the sandbox.
type sandboxQuestion struct {
	args   string
	stdin  string // a file that it reads through a pipe
	cold   string // a file that is evicted from the page cache before
	output string // a file that it writes
	forced bool   // it forces an engine, so an error is allowed
}

var sandboxQuestions = []sandboxQuestion{
	{args: "find --text needle text"},
	{args: "find --text needle --engine mmap text", forced: true},
	{args: "find --text needle --engine pread text"},
	{args: "find --text needle --engine uring text", forced: true},
	{args: "find --text needle --engine uring --receipt=json text", forced: true},
	{args: "count --text null big.json", cold: "big.json"},
	{args: "find --nonzero sparse"},
	{args: "find --regex need.e --cache neutral text", forced: true}, // neutral or an error
	{args: "count --lines -", stdin: "text"},
	{args: "count --lines -r tree"},
	{args: "count --lines --receipt=line text"},
	{args: "count --lines text.gz"},
	{args: "table text -d ; --group 2 --agg sum(3)"},
	{args: "table text -d ; --group 2 --agg count --output out.parquet", output: "out.parquet"},
	{args: "minify big.json -o out.json", output: "out.json"},
	{args: "minify big.json -o old.json", output: "old.json"},
	{args: "minify - -o out.json", stdin: "big.json", output: "out.json"},
}

// ask runs a command line in a folder; in a sandbox that denies call, unless call is empty.
func ask(t *testing.T, folder string, q sandboxQuestion, call, errno string) (status int, out, complaint string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Args = append([]string{"thresh"}, strings.Fields(q.args)...)
	if call != "" {
		cmd.Args = append([]string{"sandbox", call, errno}, cmd.Args...)
	}
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "XDG_CACHE_HOME="+folder+"/.cache")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if q.stdin != "" {
		text, err := os.ReadFile(filepath.Join(folder, q.stdin))
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdin = bytes.NewReader(text)
	}
	if q.output == "old.json" {
		if err := os.WriteFile(filepath.Join(folder, q.output), []byte("[0]"), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if q.cold != "" {
		evictNow(t, filepath.Join(folder, q.cold))
	}
	err := cmd.Run()
	if exit := new(exec.ExitError); ctx.Err() != nil || err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %v %v\n%s", cmd.Args, ctx.Err(), err, &stderr)
	}
	if q.output != "" {
		text, err := os.ReadFile(filepath.Join(folder, q.output))
		if err == nil {
			stdout.Write(text)
			err = os.Remove(filepath.Join(folder, q.output))
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

func evictNow(t *testing.T, name string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := errors.Join(f.Sync(), unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)); err != nil {
		t.Fatal(err)
	}
}

// crashed matches text that no error message may contain.
var crashed = regexp.MustCompile(`<nil>|panic|goroutine|fatal error|thresh: bug|SIG[A-Z]{3}`)

// TestSandbox denies one system call after the other, with the errors that sandboxes return.
// Without a needless call thresh must still answer; without another one it must answer or fail
// with an error.
func TestSandbox(t *testing.T) {
	if os.Getenv(underTest) != "" {
		t.Skip("the filter would apply to the emulator too")
	}
	inputs := sandboxInputs(t)
	folder := sandboxFolder(t, inputs)
	want := map[string]string{}
	for _, q := range sandboxQuestions {
		status, out, complaint := ask(t, folder, q, "", "")
		if status != command.Answered || out == "" {
			t.Fatalf("%s: status %d, %q, %s", q.args, status, out, complaint)
		}
		want[q.args] = out
	}
	for _, call := range slices.Sorted(maps.Keys(sandboxed)) {
		for i, errno := range denials {
			t.Run(call+"/"+unix.ErrnoName(errno), func(t *testing.T) {
				t.Parallel()
				folder := sandboxFolder(t, inputs)
				for j, q := range sandboxQuestions {
					if i > 0 && (i+j)%rounds.Every(4) != 0 { // each question gets one of the rarer errors per call
						continue
					}
					status, out, complaint := ask(t, folder, q, call, unix.ErrnoName(errno))
					switch {
					case status == 127: // a test built with cgo, whose loader needs the call
					case crashed.MatchString(complaint):
						t.Errorf("%s: crashed:\n%s", q.args, complaint)
					case status == command.Answered && out == want[q.args]:
					case status == command.Answered:
						t.Errorf("%s: status 0 and another answer: %.100q\n%s", q.args, out, complaint)
					case status != command.WrongUsage && status != command.Unread || complaint == "":
						t.Errorf("%s: status %d, %q", q.args, status, complaint)
					case sandboxed[call].needless && !q.forced:
						t.Errorf("%s: status %d for a call that is not needed: %s", q.args, status, complaint)
					}
					if left, err := filepath.Glob(filepath.Join(folder, ".*.thresh")); len(left) > 0 || err != nil {
						if call != "unlinkat" {
							t.Errorf("%s: left %v, %v", q.args, left, err)
						}
						for _, name := range left {
							os.Remove(name)
						}
					}
				}
			})
		}
	}
}

// sandboxInputs returns the contents of files that the questions are about.
func sandboxInputs(t *testing.T) map[string][]byte {
	t.Helper()
	var text, json, packed bytes.Buffer
	json.WriteString("[ ")
	for i := range 70_000 {
		fmt.Fprintf(&text, "line;%d;%d\n", i%7, i)
		fmt.Fprintf(&json, "{ \"number\" : %d } ,\n", i)
	}
	text.WriteString("a;needle;0\n")
	json.WriteString("null ]\n")
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(text.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	inputs := map[string][]byte{"text": text.Bytes(), "big.json": json.Bytes(), "text.gz": packed.Bytes()}
	for i := range 30 {
		inputs[fmt.Sprintf("tree/%d/x", i)] = []byte("a\nb\n")
	}
	return inputs
}

// sandboxFolder creates a folder with the inputs, and with a sparse file.
func sandboxFolder(t *testing.T, inputs map[string][]byte) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range inputs {
		name = filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, content, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Create(filepath.Join(folder, "sparse"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("x"), 20<<20); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return folder
}
