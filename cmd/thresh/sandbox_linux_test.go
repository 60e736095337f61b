package main

import (
	"bytes"
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
	"unsafe"

	"golang.org/x/sys/unix"
)

// A sandbox denies system calls, all of a kind or those with a flag in an argument.
type denied struct {
	call     uintptr
	arg      int // of which one of the bits in flags is set; all calls where flags is 0
	flags    uint32
	needless bool // the answer must come all the same
}

// sandboxed are the calls of thresh that a sandbox may deny and the Go runtime lives without.
var sandboxed = map[string]denied{
	"madvise":        {call: unix.SYS_MADVISE, needless: true},
	"fstatfs":        {call: unix.SYS_FSTATFS, needless: true},
	"statx":          {call: unix.SYS_STATX, needless: true},
	"fallocate":      {call: unix.SYS_FALLOCATE, needless: true},
	"linkat":         {call: unix.SYS_LINKAT, needless: true},
	"open_tmpfile":   {call: unix.SYS_OPENAT, arg: 2, flags: unix.O_TMPFILE &^ unix.O_DIRECTORY, needless: true},
	"open_direct":    {call: unix.SYS_OPENAT, arg: 2, flags: unix.O_DIRECT, needless: true},
	"cachestat":      {call: unix.SYS_CACHESTAT, needless: true},
	"mincore":        {call: unix.SYS_MINCORE, needless: true},
	"io_uring_setup": {call: unix.SYS_IO_URING_SETUP, needless: true},
	"io_uring_reg":   {call: unix.SYS_IO_URING_REGISTER, needless: true},
	"affinity":       {call: unix.SYS_SCHED_GETAFFINITY, needless: true},
	"prctl":          {call: unix.SYS_PRCTL, needless: true},
	"prlimit64":      {call: unix.SYS_PRLIMIT64, needless: true},
	"sysinfo":        {call: unix.SYS_SYSINFO, needless: true},
	"uname":          {call: unix.SYS_UNAME, needless: true},
	"pipe_size":      {call: unix.SYS_FCNTL, arg: 1, flags: 1 << 10, needless: true},
	"ioctl":          {call: unix.SYS_IOCTL, needless: true},
	"fchown":         {call: unix.SYS_FCHOWN, needless: true},
	"map_file":       {call: unix.SYS_MMAP, arg: 3, flags: unix.MAP_SHARED, needless: true},
	"seek_hole":      {call: unix.SYS_LSEEK, arg: 2, flags: 4, needless: true},
	"copy_range":     {call: unix.SYS_COPY_FILE_RANGE, needless: true},
	"sync_range":     {call: unix.SYS_SYNC_FILE_RANGE, needless: true},

	"io_uring_enter": {call: unix.SYS_IO_URING_ENTER},
	"fadvise64":      {call: unix.SYS_FADVISE64},
	"getrusage":      {call: unix.SYS_GETRUSAGE},
	"lseek":          {call: unix.SYS_LSEEK},
	"fstat":          {call: unix.SYS_FSTAT},
	"newfstatat":     {call: fstatat[runtime.GOARCH]},
	"pread64":        {call: unix.SYS_PREAD64},
	"pwrite64":       {call: unix.SYS_PWRITE64},
	"getdents64":     {call: unix.SYS_GETDENTS64},
	"fsync":          {call: unix.SYS_FSYNC},
	"renameat":       {call: unix.SYS_RENAMEAT},
	"renameat2":      {call: unix.SYS_RENAMEAT2},
	"unlinkat":       {call: unix.SYS_UNLINKAT},
	"ftruncate":      {call: unix.SYS_FTRUNCATE},
	"fchmod":         {call: unix.SYS_FCHMOD},
	"ppoll":          {call: unix.SYS_PPOLL},
	"open_create":    {call: unix.SYS_OPENAT, arg: 2, flags: unix.O_CREAT},
}

// The call has another name on every processor.
var fstatat = map[string]uintptr{"amd64": 262, "arm64": 79}

var denials = []unix.Errno{unix.EPERM, unix.ENOSYS, unix.EINVAL, unix.EACCES, unix.ENOMEM}

// sandbox is the command "sandbox CALL ERRNO thresh ARGS...": this program, less a call.
func sandbox() {
	if err := confine(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		os.Exit(126)
	}
	err := unix.Exec("/proc/self/exe", os.Args[3:], os.Environ())
	fmt.Fprintln(os.Stderr, "sandbox:", err)
	os.Exit(126)
}

// confine installs a filter of system calls for this thread, and what it executes.
func confine(call, errno string) error {
	d, ok := sandboxed[call]
	at := slices.IndexFunc(denials, func(e unix.Errno) bool { return unix.ErrnoName(e) == errno })
	if !ok || at < 0 {
		return fmt.Errorf("no such call or error: %s %s", call, errno)
	}
	load := func(off uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: off}
	}
	jump := func(how uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | how | unix.BPF_K, K: k, Jt: yes, Jf: no}
	}
	answer := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	// struct seccomp_data holds the number of the call at 0 and its arguments from 16 on.
	filter := []unix.SockFilter{load(0), jump(unix.BPF_JEQ, uint32(d.call), 0, 2), load(uint32(16 + 8*d.arg)),
		jump(unix.BPF_JSET, d.flags, 1, 0), answer(unix.SECCOMP_RET_ALLOW),
		answer(unix.SECCOMP_RET_ERRNO | uint32(denials[at]))}
	if d.flags == 0 {
		filter[3] = jump(unix.BPF_JA, 1, 0, 0)
	}
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, e := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(filter)
	if e != 0 {
		return fmt.Errorf("seccomp: %w", e)
	}
	return nil
}

// sandboxQuestion is a command for the sandbox: what it prints, and the file that it writes.
type sandboxQuestion struct {
	args   string
	stdin  string // a file that it reads through a pipe
	output string // a file that it writes
	forced bool   // an engine is forced, which may be an error that says so
}

var sandboxQuestions = []sandboxQuestion{
	{args: "find --text needle text"},
	{args: "find --text needle --engine mmap text", forced: true},
	{args: "find --text needle --engine pread text"},
	{args: "find --text needle --engine uring text", forced: true},
	{args: "find --text needle --engine uring --receipt=json text", forced: true},
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

// ask runs a question in a folder, in a sandbox unless call is empty.
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

// crashed fits what must never be in a message.
var crashed = regexp.MustCompile(`<nil>|panic|goroutine|fatal error|thresh: bug|SIG[A-Z]{3}`)

// TestSandbox denies one system call after the other, with the errors that sandboxes give. What
// thresh can do without must not be missed; where it cannot, it must say so.
func TestSandbox(t *testing.T) {
	if os.Getenv(underTest) != "" {
		t.Skip("the filter would hold for the emulator")
	}
	folder := sandboxFolder(t)
	want := map[string]string{}
	for _, q := range sandboxQuestions {
		status, out, complaint := ask(t, folder, q, "", "")
		if status != exitAnswered || out == "" {
			t.Fatalf("%s: status %d, %q, %s", q.args, status, out, complaint)
		}
		want[q.args] = out
	}
	for _, call := range slices.Sorted(maps.Keys(sandboxed)) {
		for i, errno := range denials {
			if testing.Short() && i > 1 {
				continue
			}
			t.Run(call+"/"+unix.ErrnoName(errno), func(t *testing.T) {
				t.Parallel()
				folder := sandboxFolder(t)
				for j, q := range sandboxQuestions {
					if i > 1 && (i+j)%3 != 0 { // of the rarer errors, each question gets one a call
						continue
					}
					status, out, complaint := ask(t, folder, q, call, unix.ErrnoName(errno))
					switch {
					case status == 127: // a test built with cgo, whose loader needs the call
					case crashed.MatchString(complaint):
						t.Errorf("%s: crashed:\n%s", q.args, complaint)
					case status == exitAnswered && out == want[q.args]:
					case status == exitAnswered:
						t.Errorf("%s: status 0 and another answer: %.100q\n%s", q.args, out, complaint)
					case status != exitUsage && status != exitIncomplete || complaint == "":
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

// sandboxFolder makes the inputs of the questions.
func sandboxFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	make := func(name string, text []byte) {
		t.Helper()
		name = filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, text, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	var text, json bytes.Buffer
	json.WriteString("[ ")
	for i := range 70_000 {
		fmt.Fprintf(&text, "line;%d;%d\n", i%7, i)
		fmt.Fprintf(&json, "{ \"number\" : %d } ,\n", i)
	}
	text.WriteString("a;needle;0\n")
	json.WriteString("null ]\n")
	make("text", text.Bytes())
	make("big.json", json.Bytes())
	for i := range 30 {
		make(fmt.Sprintf("tree/%d/x", i), []byte("a\nb\n"))
	}
	if out, err := exec.Command("sh", "-c", "cd "+folder+" && gzip -k text && truncate -s 20M sparse && "+
		"printf x >> sparse").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return folder
}
