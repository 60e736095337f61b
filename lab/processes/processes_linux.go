// Package processes has what experiments with servers and clients share that are processes of their own: addresses,
// processors, the processor time of a process and its children, and a client that costs next to nothing.
package processes

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/proc"
)

// FreeAddress returns a loopback address with a free port.
func FreeAddress() (string, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// Processors returns the processors that this process may use, in ascending order.
func Processors() (usable []int, err error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("sched_getaffinity: %w", err)
	}
	for cpu := range len(set) * strconv.IntSize {
		if set.IsSet(cpu) {
			usable = append(usable, cpu)
		}
	}
	return usable, nil
}

// Family returns a process and its children: nginx does its work in one.
func Family(pid int) ([]int, error) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err == nil && len(tasks) == 0 {
		err = fmt.Errorf("process %d: %w", pid, os.ErrProcessDone)
	}
	pids := []int{pid}
	for _, task := range tasks {
		text, rerr := os.ReadFile(task)
		if errors.Is(rerr, os.ErrNotExist) || errors.Is(rerr, unix.ESRCH) {
			continue // the thread has ended
		}
		err = errors.Join(err, rerr)
		pids = proc.AppendNumbers(pids, text)
	}
	return pids, err
}

// Seconds returns the processor time that processes have used so far, with all their threads, in
// nanosecond resolution. /proc/PID/stat only counts hundredths of a second, and
// /proc/PID/schedstat only one thread.
func Seconds(pids ...int) (seconds float64, err error) {
	for _, pid := range pids {
		// The clock ID of a process, computed like clock_getcpuclockid(3).
		const schedulersCount = 2
		var t unix.Timespec
		if err := unix.ClockGettime(int32(^pid<<3|schedulersCount), &t); err != nil {
			return 0, fmt.Errorf("processor time of process %d: %w", pid, err)
		}
		seconds += float64(t.Nano()) / 1e9
	}
	return seconds, nil
}

// Discard receives n bytes from a connection inside the kernel, with MSG_TRUNC, which costs no copy: the server then
// determines the result. It returns io.ErrUnexpectedEOF if there are fewer. The kernel does not write to nowhere, whose
// length is how much one call discards.
func Discard(conn *net.TCPConn, n int64, nowhere []byte) (sum int64, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	for sum < n {
		var took int
		var rerr error
		err := raw.Read(func(fd uintptr) bool {
			for {
				took, _, rerr = unix.Recvfrom(int(fd), nowhere[:min(n-sum, int64(len(nowhere)))], unix.MSG_TRUNC)
				if rerr != unix.EINTR {
					return rerr != unix.EAGAIN
				}
			}
		})
		if err := errors.Join(err, rerr); err != nil {
			return sum, err
		}
		if took == 0 {
			return sum, fmt.Errorf("%d of %d bytes: %w", sum, n, io.ErrUnexpectedEOF)
		}
		sum += int64(took)
	}
	return sum, nil
}
