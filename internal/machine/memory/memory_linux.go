// Package memory reports how much memory is available to this process, including the page cache of what
// it reads.
package memory

import (
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/thresh-dev/thresh/internal/machine/cgroup"
	"github.com/thresh-dev/thresh/internal/machine/proc"
	"golang.org/x/sys/unix"
)

// AvailableBytes returns how much memory can be filled before other programs feel it: what the kernel
// estimates, or what the control group of a container has left if that is less. Page cache counts as
// available, because the kernel takes it back first. The result is 0 if it is unknown.
func AvailableBytes() (int64, error) {
	system, err := systemBytes()
	if err != nil {
		return 0, err
	}
	left := int64(math.MaxInt64)
	switch group, err := cgroup.FindMemory(); {
	case errors.Is(err, cgroup.ErrNone):
	case err != nil:
		return 0, err
	default:
		if left, err = group.AvailableBytes(); err != nil {
			return 0, err
		}
	}
	return min(system, left), nil
}

// systemBytes returns the kernel's estimate, or what is free where there is no /proc.
func systemBytes() (int64, error) {
	text, err := os.ReadFile("/proc/meminfo")
	if err == nil {
		return available(text)
	}
	var info unix.Sysinfo_t
	if sysinfoErr := unix.Sysinfo(&info); sysinfoErr != nil {
		return 0, errors.Join(err, fmt.Errorf("sysinfo: %w", sysinfoErr))
	}
	return int64(info.Freeram) * int64(info.Unit), nil
}

// available returns the kernel's estimate in the text of meminfo.
func available(meminfo []byte) (int64, error) {
	bytes, ok, err := proc.FieldBytes(meminfo, "MemAvailable")
	if err != nil {
		return 0, fmt.Errorf("read /proc/meminfo: %w", err)
	}
	if !ok {
		return 0, errors.New("read /proc/meminfo: it does not say how much memory is available")
	}
	return bytes, nil
}
