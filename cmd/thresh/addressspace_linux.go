package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// addressSpaceMin is the address space that the smallest command needs on top of the runtime's.
const addressSpaceMin = 128 << 20

// checkAddressSpace returns an error if the address space is limited (ulimit -v) to less than a
// command needs. Otherwise the runtime would crash halfway with a dump of all goroutines. If
// the limit is too low even for the runtime to start, this check comes too late; see entry.
func checkAddressSpace() error {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) != nil || limit.Cur == unix.RLIM_INFINITY {
		return nil
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return nil // unknown: try it
	}
	var pages uint64
	if _, err := fmt.Fscan(strings.NewReader(string(text)), &pages); err != nil {
		return nil
	}
	used := pages * uint64(os.Getpagesize())
	if need := used + addressSpaceMin; limit.Cur < need {
		return fmt.Errorf("the address space is limited to %d MiB, but at least %d MiB are needed: "+
			"raise the limit (ulimit -v %d)", limit.Cur>>20, need>>20+1, need>>10+1024)
	}
	return nil
}
