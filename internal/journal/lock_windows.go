package journal

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// lock takes the lock of an open file, which ends when the file is closed or the process ends. It reports
// whether nobody else has it. The lock is on a byte far behind the end: Windows refuses reads of locked ones.
func lock(f *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: math.MaxInt32})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	if err != nil {
		return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return true, nil
}
