package measure

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// touchFaults returns how many faults a fresh mapping of a file takes when each page is touched in order.
func touchFaults(path string) (faults float64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close() // nothing was written
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, err
	}
	m, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return 0, fmt.Errorf("mmap %s: %w", path, err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after unix.Rusage
	err = unix.Getrusage(unix.RUSAGE_THREAD, &before)
	var sum byte
	for i := 0; i < len(m); i += page {
		sum ^= m[i]
	}
	runtime.KeepAlive(sum)
	err = errors.Join(err, unix.Getrusage(unix.RUSAGE_THREAD, &after), unix.Munmap(m))
	return float64(after.Minflt - before.Minflt), err
}

// endWithParent kills a child when the thread that started it ends, as if the lab itself is killed. The
// lab's threads end only with the lab.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
