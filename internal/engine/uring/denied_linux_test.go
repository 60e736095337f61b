package uring_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/uring"
	"github.com/thresh-dev/thresh/internal/input/source"
	"golang.org/x/sys/unix"
)

// deniedEnv is set in the child process of TestDenied. Its value is the errno that io_uring_setup
// returns.
const deniedEnv = "THRESH_TEST_DENIED"

// TestDenied runs this program again under a seccomp filter like that of containers.
func TestDenied(t *testing.T) {
	if errno := os.Getenv(deniedEnv); errno != "" {
		deniedChild(t, errno)
		return
	}
	for errno, want := range map[unix.Errno]string{
		unix.EPERM:  "io_uring is forbidden here",
		unix.ENOSYS: "this kernel has no io_uring",
	} {
		program, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		child := exec.Command(program, "-test.run=^TestDenied$", "-test.v")
		child.Env = append(os.Environ(), fmt.Sprintf("%s=%d", deniedEnv, int(errno)))
		out, err := child.CombinedOutput()
		if err != nil {
			t.Fatalf("child for %v: %v\n%s", errno, err, out)
		}
		if !strings.Contains(string(out), "refused: "+want) &&
			!strings.Contains(string(out), "refused: io_uring is turned off") {
			t.Errorf("child for %v said\n%s\nwant a refusal that says %q", errno, out, want)
		}
	}
}

func deniedChild(t *testing.T, errno string) {
	var number uint32
	if _, err := fmt.Sscan(errno, &number); err != nil {
		t.Fatal(err)
	}
	if err := denySetup(number); err != nil {
		t.Fatal(err)
	}
	f, err := source.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, err := range []error{uring.Probe(f), openOnly(f)} {
		var refused *failure.EngineError
		if !errors.As(err, &refused) {
			t.Fatalf("got %v, want a refusal", err)
		}
		if !errors.Is(err, unix.Errno(number)) {
			t.Errorf("refusal %v does not hold the system's error", err)
		}
		fmt.Println("refused: " + refused.Reason)
	}
}

func openOnly(f *source.File) error {
	_, err := uring.Open(f, engine.Config{})
	return err
}

// denySetup makes io_uring_setup return an error in all threads of this process. The filter loads
// the number of the system call, which is the first word of its input.
func denySetup(errno uint32) error {
	const mode, tsync = unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_IO_URING_SETUP, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | errno},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, mode, tsync, uintptr(unsafe.Pointer(&program)))
	if e != 0 {
		return fmt.Errorf("seccomp: %w", e)
	}
	return nil
}
