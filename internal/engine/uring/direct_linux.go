package uring

import (
	"errors"
	"os"
	"runtime"
	"strings"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/uring/ring"
	"github.com/thresh-dev/thresh/internal/input/source"
	"golang.org/x/sys/unix"
)

// Probe returns nil if the engine can read the file, and otherwise a RefusedError with the reason.
func Probe(f *source.File) error {
	e, err := open(f, engine.Config{})
	if err != nil {
		return err
	}
	return e.Close()
}

// tryRing creates a ring and closes it again.
func tryRing(f *source.File) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r, err := ring.New(-1, 1)
	if err != nil {
		return ringRefusal(f, err)
	}
	return r.Close()
}

// ringRefusal returns a RefusedError that explains why the kernel did not create a ring.
func ringRefusal(f *source.File, err error) error {
	reason := "the kernel did not create a ring"
	switch {
	case errors.Is(err, unix.EPERM):
		reason = "io_uring is forbidden here, perhaps by the seccomp filter of a container"
		setting, readErr := os.ReadFile("/proc/sys/kernel/io_uring_disabled")
		if v := strings.TrimSpace(string(setting)); readErr == nil && v != "0" {
			reason = "io_uring is turned off by the sysctl kernel.io_uring_disabled=" + v
		}
	case errors.Is(err, unix.ENOSYS):
		reason = "this kernel has no io_uring, or a filter hides it"
	case errors.Is(err, unix.EINVAL), errors.Is(err, ring.ErrOldKernel):
		reason = "io_uring needs Linux 5.6 or newer"
	case errors.Is(err, unix.ENOMEM):
		reason = "there is not enough memory for a ring; raise the limit of locked memory (ulimit -l)"
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
		reason = "too many files are open; raise the limit (ulimit -n)"
	}
	return refusal(f, reason, err)
}

func refusal(f *source.File, reason string, err error) error {
	return &failure.EngineError{Engine: "uring", Name: f.Name, Reason: reason, Err: err}
}
