//go:build unix

package measure

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/proc"
)

// ownGroup puts a command into a process group, which is killed as a whole when its context ends.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(cmd.SysProcAttr)
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}

// makePipe makes a named pipe.
func makePipe(path string) error {
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return fmt.Errorf("make pipe %s: %w", path, err)
	}
	return nil
}

// used returns what this process and its children have used so far.
func used() (u usage, err error) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var r unix.Rusage
		if err := unix.Getrusage(who, &r); err != nil {
			return u, fmt.Errorf("getrusage: %w", err)
		}
		u.user += float64(r.Utime.Nano()) / 1e9
		u.system += float64(r.Stime.Nano()) / 1e9
		u.minor += int64(r.Minflt)
		u.major += int64(r.Majflt)
	}
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return u, nil // other systems do not count calls, and some containers hide the file
	}
	counts, err := proc.ParseIO(text)
	u.calls = counts.ReadCalls + counts.WriteCalls
	return u, err
}
