package compared

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadUse returns what the calling thread has used. Its thread is 0 if the system does not tell.
func threadUse() use {
	var t unix.Timespec
	var u unix.Rusage
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil || unix.Getrusage(unix.RUSAGE_THREAD, &u) != nil {
		return use{}
	}
	return use{unix.Gettid(), u.Minflt, time.Duration(t.Nano())}
}
