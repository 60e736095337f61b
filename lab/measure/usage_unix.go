//go:build unix

package measure

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

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
	u.calls, err = parseCalls(string(text))
	return u, err
}

// parseCalls returns the number of calls that read or wrote, from /proc/PID/io.
func parseCalls(text string) (calls int64, err error) {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if name != "syscr" && name != "syscw" {
			continue
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/self/io has %q: %w", strings.TrimSpace(line), err)
		}
		calls += n
	}
	return calls, nil
}
