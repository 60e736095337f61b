//go:build unix

package relay

import (
	"os"
	"syscall"
)

// connsMax returns how many connections the limit of open files allows, less those that
// are open, an eighth for pipes, and a few for what else there is. To accept more would be
// worse than to let them wait: with a client in each descriptor there is none left for a
// target, and nobody is served.
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
