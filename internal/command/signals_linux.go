package command

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/proc"
)

// signalMax bounds how long flushSignals waits. On a machine where others are busy, handing a signal on takes a while.
const signalMax = 2 * time.Second

// flushSignals returns when the signals that were sent to this process before have reached their channels. If none are
// caught, their handlers end the process.
//
// Any thread may have taken such a signal, and may be held up before its handler runs. Another signal to that thread
// waits until its earlier handlers have ended. So each thread gets one that changes nothing, and when none is left
// waiting, all handlers have run. Then this thread sends itself another, which the runtime hands on after the earlier
// ones, by ascending number.
func flushSignals(caught bool) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	end := time.Now().Add(signalMax)
	handlersEnd(end)
	if !caught {
		return
	}
	last := make(chan os.Signal, 1)
	signal.Notify(last, unix.SIGWINCH)
	defer signal.Stop(last)
	if syscall.Tgkill(syscall.Getpid(), syscall.Gettid(), unix.SIGWINCH) != nil {
		return
	}
	select {
	case <-last:
	case <-time.After(time.Until(end)):
	}
}

// ignored is the signal for threads. The runtime sends it to its own threads as well, and expects that others do.
const ignored = unix.SIGURG

// handlersEnd waits until the handlers of all signals have ended that threads of this process took before.
func handlersEnd(end time.Time) {
	self := syscall.Getpid()
	// Before this call returns, this thread has taken what no other had.
	if syscall.Tgkill(self, syscall.Gettid(), ignored) != nil {
		return
	}
	tasks, err := proc.Open("/proc/self/task")
	if err != nil {
		return // without /proc only this thread's signals are waited for
	}
	defer tasks.Close()
	threads, err := tasks.AppendNumbered(nil, make([]byte, 4<<10))
	if err != nil {
		return
	}
	for _, thread := range threads {
		_ = syscall.Tgkill(self, thread, ignored) // a thread that has ended handles nothing
	}
	buf := make([]byte, 4<<10)
	for _, thread := range threads {
		for pends(thread, buf) && time.Now().Before(end) {
			time.Sleep(100 * time.Microsecond)
		}
	}
}

// pends reports whether the signal that was sent to a thread of this process has not been handled yet. The kernel's own
// threads for io_uring never handle one.
func pends(thread int, buf []byte) bool {
	f, err := proc.Open(fmt.Sprintf("/proc/self/task/%d/status", thread))
	if err != nil {
		return false // it has ended
	}
	defer f.Close()
	text, err := f.Read(buf)
	if err != nil {
		return false
	}
	if name, _ := proc.Field(text, "Name"); strings.HasPrefix(name, "iou-") {
		return false
	}
	pending, _ := proc.Field(text, "SigPnd")
	set, err := strconv.ParseUint(pending, 16, 64)
	return err == nil && set&(1<<(ignored-1)) != 0
}
