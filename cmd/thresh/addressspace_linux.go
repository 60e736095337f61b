package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// addressSpaceMin is the address space that the least a command does needs beside the runtime.
const addressSpaceMin = 128 << 20

// checkAddressSpace returns an error where the address space is limited (ulimit -v) to less than a
// command needs: the runtime would end it in the middle, with a list of all that it was doing.
// It does not help where the limit is so low that the runtime cannot start at all.
func checkAddressSpace() error {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) != nil || limit.Cur == unix.RLIM_INFINITY {
		return nil
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return nil // then it is tried
	}
	var pages uint64
	if _, err := fmt.Fscan(strings.NewReader(string(text)), &pages); err != nil {
		return nil
	}
	used := pages * uint64(os.Getpagesize())
	if need := used + addressSpaceMin; limit.Cur < need {
		return fmt.Errorf("the address space is limited to %d MiB, and at least %d MiB are needed: "+
			"raise the limit (ulimit -v %d)", limit.Cur>>20, need>>20+1, need>>10+1024)
	}
	return nil
}
