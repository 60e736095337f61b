//go:build unix

package relay

import (
	"os"
	"syscall"
)

// connsMax returns how many connections the limit of open files allows, after subtracting open
// descriptors, an eighth for pipes, and a few for everything else. Accepting more would be worse
// than letting clients wait: with a client on every descriptor, none is left to reach the target,
// and no client is served.
func connsMax() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return connsUnlimited
	}
	files := int(min(uint64(limit.Cur), 1<<30))
	open := 3
	if list, err := os.ReadDir("/dev/fd"); err == nil {
		open = len(list)
	}
	return max((files-files/8-open-8)/2, 1)
}
