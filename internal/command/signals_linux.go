package command

import (
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// signalMax bounds how long flushSignals waits. On a machine where others are busy, handing a signal on takes a while.
const signalMax = 2 * time.Second

// flushSignals returns when the signals that were sent to this process before have reached their channels. It sends
// itself one that no one minds. Before the system call returns, the kernel has the handlers run of all signals that
// are pending, and the runtime hands them on by ascending number. If none are caught, their handlers end the process.
func flushSignals(caught bool) {
	last := make(chan os.Signal, 1)
	if caught {
		signal.Notify(last, unix.SIGWINCH)
		defer signal.Stop(last)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if syscall.Tgkill(syscall.Getpid(), syscall.Gettid(), unix.SIGWINCH) != nil || !caught {
		return
	}
	select {
	case <-last:
	case <-time.After(signalMax):
	}
}
